import type { Draft } from './draft.js';
import type { LeafOrders } from './leaf-orders.js';

/**
 * Gives back who is not needed, from the last of the order to the first, over the victims of all leaves in one order:
 * docs/reference/policies/quota-decrease.md §6.3 and §7 step 6. Where nodes count, equals up to rule 3 go in reverse of the order
 * in which they were taken.
 *
 * @returns how many were given back.
 */
export function reprieve(draft: Draft, orders: LeafOrders): number {
  // Giving back only lowers what the others give: who is needed now stays needed, and need not be sorted. Few are given back as
  // a rule, so of most classes hardly any is left to be sorted when their turn comes.
  const spare = keepSpare(draft, draft.victims);
  let givenBack = 0;
  for (const ofClass of orders.lastClassesFirst(spare)) {
    const left = keepSpare(draft, ofClass);
    orders.sortClass(left);
    for (let i = left.length - 1; i >= 0; i--) {
      if (!draft.isSpare(left[i]!)) continue;
      draft.giveBack(left[i]!);
      givenBack++;
    }
  }
  return givenBack;
}

/** Moves the victims that are spare to the front of the list. @returns that part of it. */
function keepSpare(draft: Draft, list: Int32Array): Int32Array {
  let count = 0;
  for (let i = 0; i < list.length; i++) if (draft.isSpare(list[i]!)) list[count++] = list[i]!;
  return list.subarray(0, count);
}
