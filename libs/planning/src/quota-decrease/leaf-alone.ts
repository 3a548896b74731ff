import type { ReadSettings } from '@curtail/contracts';
import type { Draft } from './draft.js';
import { takeFromLeaf } from './leaf.js';
import type { LeafOrders } from './leaf-orders.js';
import { reprieve } from './reprieve.js';

/**
 * The plan of a queue without children: docs/reference/policies/quota-decrease.md §6.3. It ends: a victim is given back only if its
 * types stay given, and then it is never taken again.
 */
export function takeAlone(draft: Draft, queue: number, orders: LeafOrders, fit: ReadSettings['fit']): void {
  const sorted = orders.of(queue);
  for (;;) {
    takeFromLeaf(draft, sorted, null, fit);
    if (fit === 'within') return;
    const givenBack = reprieve(draft, orders);
    if (draft.reached || givenBack === 0) return;
  }
}
