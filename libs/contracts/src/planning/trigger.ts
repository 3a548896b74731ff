import type { Resources } from './resources.js';

/** What a plan is asked for; each policy adds its own fields. docs/reference/snapshot.md, "Trigger". */
export interface Trigger {
  policy: string;
  /** The queue that the plan is of; absent: all queues. */
  queue?: string;
}

export interface QuotaDecreaseTrigger extends Trigger {
  policy: 'quota-decrease';
  /** The queue whose quota went down. */
  queue: string;
  /** Free this much, in place of the computed target. */
  target?: Resources;
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
