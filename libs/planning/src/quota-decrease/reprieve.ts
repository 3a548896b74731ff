import type { Draft } from './draft.js';
import type { LeafOrders } from './leaf-orders.js';

/**
 * Gives back who is not needed, from the last of the order to the first, over the victims of all leaves in one order:
 * docs/reference/policies/quota-decrease.md §6.3 and §7 step 6. Where nodes have a say, equals up to rule 3 go in reverse of the order
 * in which they were taken.
 *
 * @returns how many were given back.
 */
export function reprieve(draft: Draft, orders: LeafOrders): number {
  const { victims } = draft;
  // Giving back only lowers what the others give: who is needed now stays needed, and need not be sorted.
  let count = 0;
  const room = new Int32Array(victims.length);
  for (const victim of victims) if (draft.isSpare(victim)) room[count++] = victim;
  const spare = room.subarray(0, count);
  orders.sortVictims(spare);
  let givenBack = 0;
  for (let i = spare.length - 1; i >= 0; i--) {
    if (!draft.isSpare(spare[i]!)) continue;
    draft.giveBack(spare[i]!);
    givenBack++;
  }
  return givenBack;
}
