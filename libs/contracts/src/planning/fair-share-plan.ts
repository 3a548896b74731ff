import type { Resources } from './resources.js';

/** What leads to a victim, or to a reason to act. */
export type VictimCause = 'starvation' | 'aggressive-starvation' | 'resource-limits' | 'overcommit';

/** An allocation that starts, where, and in whose place. */
export interface FairShareStart {
  operation: string;
  /** Its place among the `pending` of the operation, from 0. */
  pending: number;
  node: string;
  resources: Resources;
  /** Ids of the allocations that make room; none where others made room under a limit. */
  victims: string[];
}

/** What there was to act on. */
export interface FairShareReason {
  cause: VictimCause;
  kind: 'node' | 'operation' | 'pool';
  name: string;
  answered: boolean;
  missing: Resources;
}

/** Shares of the cluster by resource type; 1 = all of it. */
export type Ratios = { readonly [type: string]: number };

/** A pool or an operation as the plan found it. */
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
  status: FairShareStanding;
  starvation: StarvationState;
  belowFairShareSince: string | null;
  starvingSince: string | null;
  /** The settings in force for it. */
  effective: Record<string, unknown>;
  /** Of operations: its priority, its place in the order of starts from 1, and its allocations by id, oldest first. */
  priority?: StarvationState;
  order?: number;
  groups?: { nonPreemptible: string[]; aggressivelyPreemptible: string[]; preemptible: string[] };
}

/** What people are shown of a pool or an operation. */
export interface ShownElement {
  kind: FairShareStatus['kind'];
  /** The path of the pool, or the id of the operation. */
  name: string;
  /** The pool itself, or that of the operation. */
  queue: string;
  /** The dominant one of each, as parts of the cluster: 1 is all of it. */
  fairShare: number;
  usageShare: number;
  demandShare: number;
  /** What it has of its fair share: below 1 it has less. */
  satisfaction: FairShareStatus['satisfaction'];
  status: FairShareStanding;
  starvation: StarvationState;
  belowFairShareSince: string | null;
  starvingSince: string | null;
  /** The settings in force for it. */
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

export type FairShareStanding = 'normal' | 'below_fair_share';
export type StarvationState = 'non_starving' | 'starving' | 'aggressively_starving';

/** What one look at a cluster found, for the clock of starvation. Durations are milliseconds. */
export interface FairShareObservation {
  /** RFC 3339. */
  at: string;
  /** All there are. Timeouts are those in force; null = there is no aggressive starvation here. */
  elements: {
    kind: 'pool' | 'operation';
    name: string;
    /** The pool, or that of the operation. */
    queue: string;
    status: FairShareStanding;
    timeout: number;
    aggressiveTimeout: number | null;
  }[];
  /** `over`: more runs there than it has. */
  nodes: { id: string; over: boolean }[];
  /** How long a node may hold too much. */
  overcommitMs: number;
}
