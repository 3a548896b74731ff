import { ancestors, depth } from '#contracts';
import { toMs } from '../instants.js';

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
