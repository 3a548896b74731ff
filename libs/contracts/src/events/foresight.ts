import { z } from 'zod';
import { fact, instant, resources, reason as why } from './shapes.js';

/** The application whose allocations are meant, and its user, where known. */
const owner = {
  partition: z.string(),
  /** The queue of the clock. */
  queue: z.string(),
  enforcement: z.string(),
  application: z.string(),
  user: z.string().optional(),
};

/**
 * If the clock were due now, these allocations of one application would be evicted (docs/how-to/advance-notice.md). Each replaces
 * the one before for the same application and run; `ForesightWithdrawn` ends it, and so does `EnforcementStarted` of the run.
 */
export const victimForeseen = z.object({
  ...owner,
  /** Why it is sent: `new`, or what changed since the last one. */
  changes: z.array(z.enum(['new', 'allocations', 'due', 'reason', 'approval'])).min(1),
  dueAt: instant,
  /** How many would be evicted, and the first of them by rank. */
  victims: z.number().int().min(1),
  allocations: z.array(z.string()).min(1),
  /** Of all of them together: equal digests of one application mean the same allocations. */
  digest: z.string(),
  resources,
  /** The rule that decided for the first of them, its facts, and the sentence of the plan. */
  rule: z.string(),
  facts: z.record(z.string(), fact).optional(),
  reason: z.string(),
  /** When a check first found this application, and how many in a row have found it since, this one included. */
  since: instant,
  checks: z.number().int().min(1),
  /** The run would wait for an operator's approval. */
  needsApproval: z.boolean(),
  /** The time of the view of the cluster that was planned. */
  checkedAt: instant,
  /** Applications that are notified of this run, and others that would lose allocations and are not, since they are too many. */
  notified: z.number().int().min(1),
  more: z.number().int().min(0),
  ...why,
});

/** What `VictimForeseen` announced for an application no longer holds, with the reason. */
export const foresightWithdrawn = z.object({ ...owner, dueAt: instant, ...why });
