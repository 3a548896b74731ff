import type { Subject } from '../subject.js';
import type {
  FairShareReason,
  FairShareSpared,
  FairShareStart,
  FairShareStatus,
  VictimCause,
} from './fair-share-plan.js';
import type { Resources } from './policy.js';

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

/** One value that a deciding rule depends on. */
export type Fact = string | number | boolean;

/** By name, the facts of the rule that decided for a victim. docs/reference/snapshot.md, "Rules and facts" */
export type Facts = Readonly<Record<string, Fact>>;

export type Outcome = 'not-needed' | 'satisfied' | 'best-effort' | 'impossible' | 'skipped';

/** Why an allocation was spared; each policy documents its own reasons. */
export type SparedReason = QuotaDecreaseSpared | IntraQueueSpared | FairShareSpared;

export type QuotaDecreaseSpared =
  | 'daemon'
  | 'not-running'
  | 'other-types'
  | 'protected'
  | 'enforcing'
  | 'too-young'
  | 'eviction-failed'
  | 'gang'
  | 'guaranteed-floor'
  | 'queue-limit'
  | 'disruption-budget'
  | 'owner-budget'
  | 'past-target'
  | 'given-back'
  | 'not-needed';

export interface Share {
  queue: string;
  releasable: Resources;
  target: Resources;
  claimed: Resources;
  /** For `intra-queue` with the setting `explain`: those of the queue by name. */
  users?: UserShare[];
  /** For `intra-queue` with the setting `explain`: those of the queue, the most entitled first. */
  applications?: ApplicationShare[];
}

export interface Victim {
  allocation: string;
  uid?: string;
  application: string;
  queue: string;
  node?: string;
  resources: Resources;
  /** From 1, without gaps: the order of eviction. */
  rank: number;
  /** Of `quota-decrease`, in a gang that goes as one: the rank of its first victim. docs/reference/policies/victim-care.md §10 */
  unit?: number;
  /** Of `quota-decrease`: the disruption budgets that this victim and those of lower rank exceed, by id. */
  overBudget?: string[];
  /** One plain sentence. */
  reason: string;
  /** Of previews only, where no digest covers the plan: why it was chosen, in fields. */
  rule?: string;
  facts?: Facts;
  /** For `fair-share`: its reason, the operation whose allocation replaces it, and its time to finish. */
  cause?: VictimCause;
  preemptedFor?: string;
  gracePeriodMs?: number;
}

export interface Spared {
  allocation: string;
  reason: SparedReason;
  /** One sentence with the numbers; only of `guaranteed-floor` and the reasons of docs/reference/policies/victim-care.md. */
  message?: string;
}

/** Information for administrators, or why something was done or not done. */
export interface Notice {
  code: string;
  /** One sentence with the numbers, for people: no program reads it. */
  message: string;
  about: Subject;
}

/** A planner's decision. docs/reference/snapshot.md, "Plan". */
export interface Plan {
  apiVersion: 'curtail/v1';
  kind: 'Plan';
  policy: string;
  /** Absent if the trigger names none: the plan covers all queues. */
  queue?: string;
  /** For `intra-queue`: the plan is for information; it notifies and evicts nothing. */
  observeOnly?: true;
  outcome: Outcome;
  target: Resources;
  inFlight: Resources;
  claimed: Resources;
  shortfall: Resources;
  overshoot: Resources;
  collateral: Resources;
  shares: Share[];
  victims: Victim[];
  /** For `fair-share`. */
  starts?: FairShareStart[];
  reasons?: FairShareReason[];
  /** With the setting `explain` only. */
  spared?: Spared[];
  /** For `fair-share`, with the setting `explain`. */
  statuses?: FairShareStatus[];
  notices: Notice[];
}
