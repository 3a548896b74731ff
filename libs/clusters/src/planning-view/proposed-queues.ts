import { chainFromRoot } from '#contracts';
import type { QueueInForce } from './in-force.js';

/** The queues of a configuration that is not in force, which previews look up as runs read theirs from the database. */
export class ProposedQueues {
  private readonly byPath: ReadonlyMap<string, QueueInForce>;
  private readonly paths: readonly string[];

  constructor(private readonly queues: readonly QueueInForce[]) {
    this.byPath = new Map(queues.map((queue) => [queue.path, queue]));
    this.paths = [...this.byPath.keys()].sort();
  }

  /** The queues that are configured of the path and those above it, from the root down. */
  chain(path: string): QueueInForce[] {
    return chainFromRoot(path).flatMap((link) => this.byPath.get(link) ?? []);
  }

  /** As `queuesInForce`: a queue, its chain and everything below it; without `queue` all. */
  within(queue?: string): readonly QueueInForce[] {
    if (queue === undefined) return this.queues;
    const below = this.paths.slice(this.firstFrom(`${queue}.`), this.firstFrom(`${queue}/`));
    return [...this.chain(queue), ...below.map((path) => this.byPath.get(path)!)];
  }

  /** The index of the first path that is not before `bound`. */
  private firstFrom(bound: string): number {
    let [low, high] = [0, this.paths.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.paths[middle]! < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
