import { ancestors, comparableLimits, depth, type QuotaValues, type Resources } from '#contracts';
import { amountOf, limitsNothing, sameAmounts } from '../amounts.js';
import { toMs } from '../instants.js';

/**
 * The rows of the table of docs/reference/policies/quota-decrease.md §3.1 below row a (which is about a run, not about values):
 *
 * - `b` the new delay is 0
 * - `c` the new max limits no type
 * - `d` neither max nor delay changed
 * - `e` only the delay changed
 * - `f` the max changed and some type is lowered, whatever the others do
 * - `g` the max changed and no type is lowered
 */
export type Row = 'b' | 'c' | 'd' | 'e' | 'f' | 'g';

/** The first row that matches. Only the two pairs of values count: never the usage, never the clock. */
export function rowOf(previous: QuotaValues, current: QuotaValues): Row {
  if (current.delayMs === 0) return 'b';
  const [before, now] = comparableLimits(previous, current);
  if (limitsNothing(now)) return 'c';
  if (sameAmounts(before, now)) return previous.delayMs === current.delayMs ? 'd' : 'e';
  return lowersSomeType(before, now) ? 'f' : 'g';
}

/** A type is lowered if the new max has it and the old one had more of it, or did not limit it. */
function lowersSomeType(previous: Resources | null, current: Resources | null): boolean {
  const before = previous ?? {};
  const now = current ?? {};
  return Object.keys(now).some(
    (type) => !Object.hasOwn(before, type) || amountOf(before, type) > amountOf(now, type),
  );
}

/** A queue that is due, as the check across queues sees it. */
export interface DueQueue {
  path: string;
  dueAt: string;
}

/**
 * The order in which due queues are checked: by due time, then deeper first, then by path. So a leaf fires before its
 * parent that is due at the same moment, and the parent counts the leaf's victims as in flight.
 * docs/reference/policies/quota-decrease.md §3.3
 */
export function firingOrder<Q extends DueQueue>(queues: readonly Q[]): Q[] {
  return [...queues].sort(
    (a, b) =>
      toMs(a.dueAt) - toMs(b.dueAt) ||
      depth(b.path) - depth(a.path) ||
      (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
  );
}

/** True if a queue above `path` has a run; the queue itself, its siblings and those below it do not count. §3.4 */
export function ancestorRuns(path: string, running: ReadonlySet<string>): boolean {
  return ancestors(path).some((ancestor) => running.has(ancestor));
}
