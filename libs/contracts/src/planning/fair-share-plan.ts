import type { Resources } from './policy.js';

/** The kind of reason for a victim, or to act. */
export type VictimCause = 'starvation' | 'aggressive-starvation' | 'resource-limits' | 'overcommit';

/** An allocation that starts, its node, and the victims it replaces. */
export interface FairShareStart {
  operation: string;
  /** Its place among the `pending` of the operation, from 0. */
  pending: number;
  node: string;
  resources: Resources;
  /** Ids of the allocations that make room; empty if others made room below a limit. */
  victims: string[];
}

/** A reason to act. */
export interface FairShareReason {
  cause: VictimCause;
  kind: 'node' | 'operation' | 'pool';
  name: string;
  answered: boolean;
  missing: Resources;
}

/** Shares of the cluster by resource type; 1 = all of it. */
export type Ratios = { readonly [type: string]: number };

/** A pool or an operation in the plan. */
export interface FairShareStatus {
  kind: 'pool' | 'operation';
  name: string;
  fairShare: Ratios;
  usageShare: Ratios;
  demandShare: Ratios;
  guaranteeShare: Ratios;
  limitsShare: Ratios;
  satisfaction: number | 'infinite';
  localSatisfaction: number | 'infinite';
  status: FairShareStatusName;
  starvation: StarvationState;
  belowFairShareSince: string | null;
  starvingSince: string | null;
  /** Its settings in force. */
  effective: Record<string, unknown>;
  /** For operations: priority, place in the order of starts from 1, and allocations by id, oldest first. */
  priority?: StarvationState;
  order?: number;
  groups?: { nonPreemptible: string[]; aggressivelyPreemptible: string[]; preemptible: string[] };
}

/** A pool or an operation, for people. */
export interface ShownElement {
  kind: FairShareStatus['kind'];
  /** The path of the pool, or the id of the operation. */
  name: string;
  /** The pool itself, or that of the operation. */
  queue: string;
  /** Its dominant shares, as fractions of the cluster: 1 is all of it. */
  fairShare: number;
  usageShare: number;
  demandShare: number;
  /** Its usage relative to its fair share: below 1 it has less. */
  satisfaction: FairShareStatus['satisfaction'];
  status: FairShareStatusName;
  starvation: StarvationState;
  belowFairShareSince: string | null;
  starvingSince: string | null;
  /** Its settings in force. */
  effective: FairShareStatus['effective'];
}

export type FairShareSpared =
  | 'not-running'
  | 'daemon'
  | 'protected'
  | 'enforcing'
  | 'own-operation'
  | 'graceful-operation'
  | 'starving-operation'
  | 'non-preemptible'
  | 'aggressive-only'
  | 'aggressive-not-allowed'
  | 'normal-not-allowed'
  | 'not-needed';

export type FairShareStatusName = 'normal' | 'below_fair_share';
export type StarvationState = 'non_starving' | 'starving' | 'aggressively_starving';

/** Findings of one snapshot of a cluster, for the clock of starvation. Durations are milliseconds. */
export interface FairShareObservation {
  /** RFC 3339. */
  at: string;
  /** All of them. Timeouts are those in force; null = no aggressive starvation here. */
  elements: {
    kind: 'pool' | 'operation';
    name: string;
    /** The pool, or that of the operation. */
    queue: string;
    status: FairShareStatusName;
    timeout: number;
    aggressiveTimeout: number | null;
  }[];
  /** `over`: the node runs more than its capacity. */
  nodes: { id: string; over: boolean }[];
  /** How long a node may be over its capacity. */
  overcommitMs: number;
}
