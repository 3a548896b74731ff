import { compareProducts, divideProduct } from '../exact-product.js';
import { keptBySnapshot } from '../kept-by-snapshot.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';

/** One child of a queue in the sharing out of one type. */
export interface Sharer {
  readonly queue: number;
  readonly releasable: number;
  /** Above 0, not above `releasable`. */
  readonly room: number;
  /** The result: a whole number, at most the room. */
  part: number;
  /** Set where the quota was above the room: the quota, rounded down. */
  cutFrom: number | null;
}

/**
 * Shares out `amount` units among the children of a queue: docs/reference/policies/quota-decrease.md §7 step 3. Exact: no product is
 * rounded. The parts add up to the amount, or to all the room.
 *
 * @param sharers in the order of their names; their parts are set.
 */
export function shareOut(amount: number, sharers: readonly Sharer[]): void {
  let left = amount;
  let open: readonly Sharer[] = sharers;
  for (;;) {
    const whole = open.reduce((sum, sharer) => sum + sharer.releasable, 0);
    const full = open.filter((sharer) => compareProducts(left, sharer.releasable, sharer.room, whole) >= 0);
    if (full.length === 0) break;
    for (const sharer of full) {
      sharer.part = sharer.room;
      if (compareProducts(left, sharer.releasable, sharer.room, whole) > 0) {
        sharer.cutFrom = divideProduct(left, sharer.releasable, whole).quotient;
      }
    }
    const done = new Set(full);
    open = open.filter((sharer) => !done.has(sharer));
    left -= full.reduce((sum, sharer) => sum + sharer.room, 0);
  }
  roundDown(left, open);
}

/** Quotas rounded down; the units left over go one each to the largest fractions, ties by name. */
function roundDown(amount: number, sharers: readonly Sharer[]): void {
  const whole = sharers.reduce((sum, sharer) => sum + sharer.releasable, 0);
  const remainders = new Float64Array(sharers.length);
  let leftOver = amount;
  for (let place = 0; place < sharers.length; place++) {
    const { quotient, remainder } = divideProduct(amount, sharers[place]!.releasable, whole);
    sharers[place]!.part = quotient;
    remainders[place] = remainder;
    leftOver -= quotient;
  }
  if (sharers.length === 0 || leftOver === 0) return;
  // The least fraction that gets a unit; of equal ones, as many as are left by those above it.
  const least = remainders.toSorted()[sharers.length - leftOver]!;
  for (const remainder of remainders) if (remainder > least) leftOver--;
  for (let place = 0; place < sharers.length; place++) {
    if (remainders[place]! > least || (remainders[place] === least && leftOver-- > 0)) sharers[place]!.part++;
  }
}

/** The largest amount of each type that a single allocation uses, by type. */
export const largestAmounts: (snapshot: QueueSnapshot) => Float64Array = keptBySnapshot(
  ({ types, allocations }) => {
    const { sizeCount, firstEntry, entryType, entryAmount } = allocations;
    const largest = new Float64Array(types.length);
    for (let e = 0; e < firstEntry[sizeCount]!; e++) {
      if (entryAmount[e]! > largest[entryType[e]!]!) largest[entryType[e]!] = entryAmount[e]!;
    }
    return largest;
  },
);
