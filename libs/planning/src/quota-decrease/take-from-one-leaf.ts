import type { ReadSettings } from '#contracts';
import type { Draft } from './draft.js';
import type { Taking } from './taking.js';

/**
 * The plan of a queue without children: docs/reference/policies/quota-decrease.md §6.3. It ends: a victim is given back only if its
 * types stay given, and then it is never wanted again.
 */
export function takeFromOneLeaf(draft: Draft, queue: number, taking: Taking, fit: ReadSettings['fit']): void {
  for (;;) {
    taking.takeFromLeaf(queue, null);
    if (fit === 'within') return;
    const givenBack = taking.reprieve();
    if (draft.reached || givenBack === 0) return;
  }
}
