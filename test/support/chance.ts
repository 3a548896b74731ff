import { SeededRandom } from '../../libs/clusters/src/simulated/behavior.js';

/** Chance that can be repeated: the same seed gives the same decisions. */
export class Chance extends SeededRandom {
  between(from: number, to: number): number {
    return from + (this.next() / 2 ** 32) * (to - from);
  }

  /** True so often, from 0 to 1. */
  hits(probability: number): boolean {
    return this.between(0, 1) < probability;
  }
}
