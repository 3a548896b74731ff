import type { ReadFairShareSettings } from '#contracts';
import type { Effective } from './effective.js';
import { AGGRESSIVELY_STARVING, type FairShareSnapshot, NON_STARVING, STARVING } from './snapshot/columns.js';

/** The states of all elements at the moment of a snapshot, by element; a time is NaN where there is none. */
export interface Starvation {
  /** 1 = below its fair share. */
  readonly below: Uint8Array;
  readonly state: Uint8Array;
  readonly belowSince: Float64Array;
  readonly starvingSince: Float64Array;
  /** Milliseconds below the fair share until it starves, and until it starves aggressively (Infinity: never). */
  readonly timeout: Float64Array;
  readonly aggressiveTimeout: Float64Array;
}

/** Whether an element has a state of its own: docs/reference/policies/fair-share.md §8.1. */
export function mayStarve(
  { pools }: FairShareSnapshot,
  settings: ReadFairShareSettings,
  element: number,
): boolean {
  return element >= pools.count || (element > 0 && settings.enablePoolStarvation);
}

export function starvationOf(
  snapshot: FairShareSnapshot,
  settings: ReadFairShareSettings,
  effective: Effective,
  isBelow: (element: number) => boolean,
): Starvation {
  const { elements, takenAt } = snapshot;
  const count = elements.count;
  const found: Starvation = {
    below: new Uint8Array(count),
    state: new Uint8Array(count),
    belowSince: new Float64Array(count).fill(Number.NaN),
    starvingSince: new Float64Array(count).fill(Number.NaN),
    timeout: new Float64Array(count),
    aggressiveTimeout: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
  };
  for (let element = 0; element < count; element++) {
    const part = patience(snapshot, settings, element);
    found.timeout[element] = effective.timeout[element]! * part;
    if (effective.enableAggressive[element] === 1) {
      found.aggressiveTimeout[element] = settings.fairShareAggressiveStarvationTimeout * part;
    }
    if (!isBelow(element)) continue;
    found.below[element] = 1;
    if (!mayStarve(snapshot, settings, element)) continue;
    const since = elements.belowSince[element]!;
    const before = elements.starvation[element]!;
    const elapsed = Number.isNaN(since) ? -1 : takenAt - since;
    const state =
      elapsed > found.aggressiveTimeout[element]!
        ? AGGRESSIVELY_STARVING
        : elapsed > found.timeout[element]!
          ? STARVING
          : before;
    found.state[element] = state;
    found.belowSince[element] = Number.isNaN(since) ? takenAt : since;
    if (state !== NON_STARVING) {
      found.starvingSince[element] = before === NON_STARVING ? takenAt : elements.starvingSince[element]!;
    }
  }
  return found;
}

/** The part of a timeout that is in force: an operation that waits for few allocations waits shorter. */
function patience(
  { pools, operations }: FairShareSnapshot,
  settings: ReadFairShareSettings,
  element: number,
): number {
  if (element < pools.count) return 1;
  const pending = operations.pending[element - pools.count]!;
  return Math.min(1, pending / settings.allocationCountPreemptionTimeoutCoefficient);
}
