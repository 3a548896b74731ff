import type { Draft } from './draft.js';
import { isWanted } from './leaf.js';
import type { LeafOrders } from './leaf-orders.js';

/**
 * Where the target is not reached, a floor may have kept candidates out before they were tried: their leaf had no room to
 * give. They count as refused like those that were tried (docs/reference/policies/quota-decrease.md §6.1, §10).
 */
export function refuseWhatIsLeft(draft: Draft, queue: number, orders: LeafOrders): void {
  const nothingGiven = new Float64Array(draft.target.count);
  const refusingCell = (allocation: number): number => {
    if (draft.isTaken(allocation) || !isWanted(draft, allocation, null, nothingGiven)) return -1;
    return draft.floors.refusingCell(allocation);
  };
  for (let q = queue; q < draft.snapshot.queues.end[queue]!; q++) {
    // Notices name the first one, so the order counts, but only of leaves where there is one.
    if (!orders.unsorted(q).some((allocation) => refusingCell(allocation) >= 0)) continue;
    for (const allocation of orders.of(q)) {
      const cell = refusingCell(allocation);
      if (cell >= 0) draft.passOverForFloor(allocation, cell);
    }
  }
}
