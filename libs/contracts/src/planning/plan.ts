import type { Resources } from './resources.js';

export type Policy = 'quota-decrease';

export interface Trigger {
  policy: Policy;
  /** The queue whose quota went down. */
  queue: string;
  /** Free this much, in place of the computed target. */
  target?: Resources;
  /** For information only. */
  previousMax?: Resources;
}

export interface Protect {
  queues?: string[];
  applications?: string[];
  users?: string[];
  allocations?: string[];
  priorityAtLeast?: number | null;
}

export type TimerPolicy = 'restart' | 'keep-earliest' | 'shift';
export type OnRestart = 'keep' | 'restart';
export type AfterRun = 'reschedule' | 'ignore';

/**
 * Settings of the policy `quota-decrease`; what is absent or null has its default.
 * docs/reference/snapshot.md, "Settings".
 */
export interface QuotaDecreaseSettings {
  explain?: boolean | null;
  protect?: Protect | null;
  victimOrder?: 'preference' | 'closest-match' | null;
  nodeAware?: boolean | null;
  fit?: 'cover' | 'within' | null;
  /** Whole percent, 0 to 100. */
  miss?: number | null;
  feasibility?: 'best-effort' | 'all-or-nothing' | null;
  timerPolicy?: TimerPolicy | null;
  onRestart?: OnRestart | null;
  afterRun?: AfterRun | null;
  delayInheritance?: boolean | null;
  quotaPreemptionEnabled?: boolean | null;
}

export type Outcome = 'not-needed' | 'satisfied' | 'best-effort' | 'impossible' | 'skipped';

export type SparedReason =
  | 'daemon'
  | 'not-running'
  | 'other-types'
  | 'protected'
  | 'enforcing'
  | 'guaranteed-floor'
  | 'past-target'
  | 'given-back'
  | 'not-needed';

export interface Share {
  queue: string;
  releasable: Resources;
  target: Resources;
  claimed: Resources;
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
  /** One plain sentence. */
  reason: string;
}

export interface Spared {
  allocation: string;
  reason: SparedReason;
}

export interface Notice {
  code: string;
  /** One sentence with the numbers, for an administrator. */
  message: string;
}

/** What a planner decides. docs/reference/snapshot.md, "Plan". */
export interface Plan {
  apiVersion: 'curtail/v1';
  kind: 'Plan';
  policy: Policy;
  queue: string;
  outcome: Outcome;
  target: Resources;
  inFlight: Resources;
  claimed: Resources;
  shortfall: Resources;
  overshoot: Resources;
  collateral: Resources;
  shares: Share[];
  victims: Victim[];
  /** With the setting `explain` only. */
  spared?: Spared[];
  notices: Notice[];
}
