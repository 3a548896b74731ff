import type { ReadFairShareSettings } from '#contracts';
import type { ShareStatus } from './share-status.js';
import type { FairShareSnapshot } from './snapshot/columns.js';
import { rounded } from './tolerance.js';

/**
 * The order in which operations start allocations (docs/reference/policies/fair-share.md §11, step 4): smaller satisfaction, place in the
 * fifo pool, longer starving, earlier submitted, id. Only the satisfaction changes while a plan is made.
 */
export class StartOrder {
  /** By operation. */
  readonly satisfaction: Float64Array;
  /** By operation: its number in the order of everything but the satisfaction. */
  private readonly rank: Int32Array;
  /** 1 for pools whose operations stand in the order by the satisfaction of the pool. */
  private readonly asOne: Uint8Array;

  constructor(
    private readonly snapshot: FairShareSnapshot,
    settings: ReadFairShareSettings,
    private readonly shareStatus: ShareStatus,
    places: Int32Array,
    starvingSince: Float64Array,
  ) {
    const { pools, operations } = snapshot;
    this.asOne = pools.fifo.map((fifo) =>
      fifo === 1 && settings.fifoPoolSchedulingOrder === 'fifo' ? 1 : 0,
    );
    const since = Float64Array.from(operations.ids, (_, operation) => {
      const instant = starvingSince[pools.count + operation]!;
      return Number.isNaN(instant) ? Number.MAX_VALUE : instant;
    });
    const { submittedAt } = operations;
    const order = Int32Array.from(operations.ids, (_, operation) => operation).sort(
      (a, b) =>
        places[a]! - places[b]! || since[a]! - since[b]! || submittedAt[a]! - submittedAt[b]! || a - b,
    );
    this.rank = new Int32Array(operations.count);
    order.forEach((operation, rank) => {
      this.rank[operation] = rank;
    });
    this.satisfaction = Float64Array.from(operations.ids, (_, operation) => this.satisfactionOf(operation));
  }

  isBefore(a: number, b: number): boolean {
    return this.isBeforeWith(this.satisfaction[a]!, a, this.satisfaction[b]!, b);
  }

  /** The same for satisfactions as they were at some time. */
  isBeforeWith(satisfaction: number, a: number, other: number, b: number): boolean {
    return satisfaction !== other ? satisfaction < other : this.rank[a]! < this.rank[b]!;
  }

  /** Checks an operation again whose usage has changed; `moved` is called for each one that has another place then. */
  refresh(operation: number, moved: (operation: number) => void): void {
    const { elements, pools } = this.snapshot;
    const pool = elements.parent[pools.count + operation]!;
    const now = this.satisfactionOf(operation);
    if (now === this.satisfaction[operation]) return;
    if (this.asOne[pool] === 0) {
      this.satisfaction[operation] = now;
      moved(operation);
      return;
    }
    for (let i = elements.firstChild[pool]!; i < elements.firstChild[pool + 1]!; i++) {
      const sibling = elements.children[i]! - pools.count;
      this.satisfaction[sibling] = now;
      moved(sibling);
    }
  }

  private satisfactionOf(operation: number): number {
    const { elements, pools } = this.snapshot;
    const element = pools.count + operation;
    const pool = elements.parent[element]!;
    return rounded(this.shareStatus.ownSatisfaction(this.asOne[pool] === 1 ? pool : element));
  }
}
