import { z } from 'zod';
import { instant } from './shapes.js';

/*
 * The clocks of the policy fair-share (docs/reference/policies/fair-share.md §8): pools and operations below their fair share or starving,
 * and when they request a plan.
 */

const element = {
  partition: z.string(),
  /** The pool, or that of the operation; `root` for a node. */
  queue: z.string(),
  kind: z.enum(['pool', 'operation', 'node']),
  /** The path of the pool, or the id. */
  name: z.string(),
  /** Time of the snapshot that shows it. */
  at: instant,
};

const status = z.enum(['normal', 'below_fair_share']);
const starvation = z.enum(['non_starving', 'starving', 'aggressively_starving']);

/** A pool or an operation fell below its fair share, or is normal again. */
export const statusChanged = z.object({ ...element, from: status, to: status });

export const starvationChanged = z.object({
  ...element,
  from: starvation,
  to: starvation,
  /** Since when it starves; null if it no longer does. */
  since: instant.nullable(),
});

const timer = {
  ...element,
  /** The time at which a plan is requested. */
  dueAt: instant,
  /** Grows each time the timer is set; a wake-up for an older setting is ignored. */
  generation: z.number().int().min(1),
};
export const timerStarted = z.object(timer);
export const timerRestarted = z.object({ ...timer, previousDueAt: instant });
/** Its reason ended before it was due. */
export const timerCancelled = z.object({ ...element, dueAt: instant });
