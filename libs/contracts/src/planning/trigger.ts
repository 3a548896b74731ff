import type { Resources } from './resources.js';

/** The request for a plan; each policy adds its own fields. docs/reference/snapshot.md, "Trigger". */
export interface Trigger {
  policy: string;
  /** The planned queue; absent: all queues. */
  queue?: string;
}

export interface QuotaDecreaseTrigger extends Trigger {
  policy: 'quota-decrease';
  /** The queue whose quota was lowered. */
  queue: string;
  /** Free this much, in place of the computed target. */
  target?: Resources;
  /** Allocations, by id, that the plan leaves out: their evictions by runs before it failed. docs/reference/policies/quota-decrease.md §3.12 */
  avoid?: readonly string[];
  /** For information only. */
  previousMax?: Resources;
}

export interface IntraQueueTrigger extends Trigger {
  policy: 'intra-queue';
  /** A queue without children; absent = all of them. */
  queue?: string;
}

/** The whole tree. */
export interface FairShareTrigger extends Trigger {
  policy: 'fair-share';
  queue?: never;
}
