import type { Resources } from './resources.js';

export interface QuotaDecreaseTrigger {
  policy: 'quota-decrease';
  /** The queue whose quota went down. */
  queue: string;
  /** Free this much, in place of the computed target. */
  target?: Resources;
  /** For information only. */
  previousMax?: Resources;
}

export interface IntraQueueTrigger {
  policy: 'intra-queue';
  /** A queue without children; absent = all of them. */
  queue?: string;
}

/** The whole tree. */
export interface FairShareTrigger {
  policy: 'fair-share';
}

/** What a plan is asked for. docs/reference/snapshot.md, "Trigger". */
export type Trigger = QuotaDecreaseTrigger | IntraQueueTrigger | FairShareTrigger;
