import { denseNumbers } from '../dense-numbers.js';
import { keptBySnapshot } from '../kept-by-snapshot.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { PLACEHOLDER } from '../snapshot/columns.js';
import { StableSort } from '../stable-sort.js';
import type { InQueueSnapshot } from './in-queue-snapshot.js';

/** The part of the order of applications that all rounds of a snapshot have in common. */
export interface ApplicationOrder {
  /** By application, the number of its priority among all that occur, higher priorities first. */
  readonly priorityPlace: Float64Array;
  readonly priorityCount: number;
  /** By application, the number of its user among all that occur. */
  readonly user: Int32Array;
  readonly userCount: number;
}

export const applicationOrderOf = keptBySnapshot(({ applications }: InQueueSnapshot): ApplicationOrder => {
  const { number, count } = denseNumbers(Float64Array.from(applications.priority));
  return {
    priorityPlace: Float64Array.from(number, (lowerFirst) => count - 1 - lowerFirst),
    priorityCount: count,
    ...numberUsers(applications.users),
  };
});

function numberUsers(users: readonly (string | undefined)[]): { user: Int32Array; userCount: number } {
  const numbers = new Map<string | undefined, number>();
  const user = Int32Array.from(users, (name) => {
    const known = numbers.get(name) ?? numbers.size;
    if (known === numbers.size) numbers.set(name, known);
    return known;
  });
  return { user, userCount: numbers.size };
}

/**
 * Who of one list is taken first: docs/reference/policies/intra-queue.md §6.2. A rule decides only among equals of all rules before it.
 *
 * 1. placeholders before all others
 * 2. who allows preemption before who opted out
 * 3. lower priority of the allocation first
 * 4. younger first
 * 5. larger id first, which makes the order total
 */
export class CandidateOrder {
  /** Rules 1 to 3 in one number by allocation, the smaller the earlier. */
  private readonly kind: Float64Array;
  private readonly kinds: number;
  private readonly sorter: StableSort;

  constructor(private readonly snapshot: QueueSnapshot) {
    const { count, role, optedOut } = snapshot.allocations;
    const { priorityNumber, priorityCount } = snapshot.order;
    this.kind = new Float64Array(count);
    this.kinds = 4 * priorityCount;
    for (let a = 0; a < count; a++) {
      const kind = (role[a] === PLACEHOLDER ? 0 : 2) + optedOut[a]!;
      this.kind[a] = kind * priorityCount + priorityNumber[a]!;
    }
    this.sorter = new StableSort();
  }

  /**
   * Sorts candidates in place.
   *
   * @param list of one queue, in the order of the numbers.
   */
  sort(list: Int32Array): void {
    const { startedAt } = this.snapshot.allocations;
    // There the smaller id goes first.
    for (let from = 0, to = 0; from < list.length; from = to) {
      for (to = from + 1; to < list.length && startedAt[list[to]!] === startedAt[list[from]!]; ) to++;
      if (to > from + 1) list.subarray(from, to).reverse();
    }
    this.sorter.sort(list, this.kind, this.kinds);
  }
}

export const candidateOrderOf = keptBySnapshot((snapshot: QueueSnapshot) => new CandidateOrder(snapshot));
