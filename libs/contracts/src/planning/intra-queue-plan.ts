import type { Resources } from './resources.js';

/** A user of a queue: docs/reference/snapshot.md, "Plan". `limit` is written whole, also where it is nothing. */
export interface UserShare {
  user: string;
  used: Resources;
  limit: Resources;
}

/** An application of a queue: what it has and asks for, and what the policy works out for it. */
export interface ApplicationShare {
  application: string;
  used: Resources;
  pending: Resources;
  /** What would be its part of what the queue uses. */
  ideal: Resources;
  /** Of its ideal part what it does not have, before anybody gave. */
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
