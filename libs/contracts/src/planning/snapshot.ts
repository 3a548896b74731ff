import type { EventData } from '../events/catalog.js';
import type { Resources } from './policy.js';

export type AllocationRole = 'task' | 'originator' | 'daemon' | 'placeholder';
export type AllocationState = 'running' | 'releasing' | 'preempting';

export interface SnapshotNode {
  id: string;
  capacity?: Resources;
  labels?: Record<string, string>;
  /** false: nothing starts there. */
  schedulable?: boolean;
  properties?: Record<string, unknown>;
}

export interface SnapshotQueue {
  /** Dot-separated; parents are listed too. */
  path: string;
  /** The quota in force; absent = unlimited. */
  max?: Resources;
  guaranteed?: Resources;
  /** Created from a template or a placement rule: never the target of a quota decrease. */
  dynamic?: boolean;
  /** An enforcement that started earlier already runs for this queue. */
  enforcing?: boolean;
  properties?: Record<string, unknown>;
}

export interface SnapshotApplication {
  id: string;
  queue: string;
  user?: string;
  /** Higher = more important; default 0. */
  priority?: number;
  submittedAt?: string;
  pending?: { resources: Resources; count: number }[];
  properties?: Record<string, unknown>;
  /** Its running tasks and originators are of use together only. docs/reference/policies/victim-care.md §7 */
  gang?: { minMembers: number };
}

export interface SnapshotAllocation {
  id: string;
  application: string;
  queue: string;
  node?: string;
  /** This incarnation; a new one with the same id has another uid. */
  uid?: string;
  resources: Resources;
  /** Default: the priority of its application. */
  priority?: number;
  /** RFC 3339. */
  startedAt: string;
  /** RFC 3339: its work up to here is saved. */
  checkpointedAt?: string;
  /** The disruption budgets that it counts in, by id. */
  budgets?: string[];
  role?: AllocationRole;
  /** The owner's hint; default true. */
  allowPreemption?: boolean;
  /** No policy ever evicts it; default false. */
  protected?: boolean;
  state?: AllocationState;
  /** RFC 3339; default `startedAt`. For fair-share: determines which allocations are older. */
  lastJobStartedAt?: string;
  /** For fair-share: it can be asked to finish; default true. */
  interruptible?: boolean;
}

/** How many of the allocations that name it may still go. docs/reference/policies/victim-care.md §5 */
export interface DisruptionBudget {
  id: string;
  allowed: number;
}

/** An allocation that was evicted lately, whichever run did it. docs/reference/policies/victim-care.md §6 */
export interface RecentVictim {
  user?: string;
  application: string;
  queue: string;
  /** RFC 3339. */
  at: string;
}

/** The input of a planner. docs/reference/snapshot.md, "ClusterSnapshot". */
export interface ClusterSnapshot {
  apiVersion: 'curtail/v1';
  kind: 'ClusterSnapshot';
  /** RFC 3339; the time of its content. */
  takenAt: string;
  partition: string;
  nodes?: SnapshotNode[];
  queues: SnapshotQueue[];
  applications: SnapshotApplication[];
  allocations: SnapshotAllocation[];
  budgets?: DisruptionBudget[];
  recentVictims?: RecentVictim[];
}

/** The users of victims as a plan records them, each with its applications. */
export type Owners = NonNullable<EventData<'PlanComputed'>['owners']>;

/** The user of each application of a plan's victims; none of an application without a user. */
export function usersByApplication(owners: Owners = []): ReadonlyMap<string, string> {
  return new Map(owners.flatMap(({ user, applications }) => applications.map((id) => [id, user] as const)));
}
