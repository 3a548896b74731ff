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
  const isSpare = (victim: number): boolean => draft.isSpare(victim);
  // Giving back only lowers what the others give: who is needed now stays needed, and need not be sorted. Few are given back as
  // a rule, so of most classes hardly any is left to be sorted when their turn comes.
  const spare = draft.victims.filter(isSpare);
  let givenBack = 0;
  for (const ofClass of orders.lastClassesFirst(spare)) {
    const left = ofClass.filter(isSpare);
    orders.sortClass(left);
    for (let i = left.length - 1; i >= 0; i--) {
      if (!isSpare(left[i]!)) continue;
      draft.giveBack(left[i]!);
      givenBack++;
    }
  }
  return givenBack;
}
