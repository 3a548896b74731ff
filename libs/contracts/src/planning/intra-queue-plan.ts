import type { Resources } from './resources.js';

/** A user of a queue: docs/reference/snapshot.md, "Plan". `limit` is written completely, even if empty. */
export interface UserShare {
  user: string;
  used: Resources;
  limit: Resources;
}

/** An application of a queue: usage, requests, and the policy's results for it. */
export interface ApplicationShare {
  application: string;
  used: Resources;
  pending: Resources;
  /** Its ideal part of the queue's usage. */
  ideal: Resources;
  /** The part of its ideal share that it lacked before any victim was chosen. */
  need: Resources;
  offer: Resources;
  give: Resources;
}

export type IntraQueueSpared =
  | 'queue-disabled'
  | 'enforcement-running'
  | 'one-application'
  | 'nothing-pending'
  | 'below-threshold'
  | 'not-running'
  | 'originator'
  | 'daemon'
  | 'protected'
  | 'cooling'
  | 'no-give'
  | 'unfit'
  | 'user-limit'
  | 'round-ceiling'
  | 'conservative-drf'
  | 'not-needed';
