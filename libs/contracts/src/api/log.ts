import type { Plan } from '../planning/plan.js';
import type { Resources } from '../planning/resources.js';
import type { Limit } from '../shares/cluster-share.js';

export interface EventView {
  position: string;
  time: string;
  name: string;
  type: string;
  stream: string;
  version: number;
  queue: string;
  data: unknown;
}

/** A recorded plan in a list: what it came to. */
export interface PlanView {
  enforcement: string;
  partition: string;
  queue: string;
  computedAt: string;
  outcome: string;
  target: Resources;
  victims: number;
  snapshotDigest: string;
  planDigest: string;
}

export interface RecordedPlan {
  enforcement: string;
  computedAt: string;
  snapshotDigest: string;
  planDigest: string;
  trigger: Record<string, unknown>;
  settings: Record<string, unknown>;
  /** The limit that the run was planned with; of a share of the cluster, `max` is what it came to in the snapshot. */
  limit: Limit;
  plan: Plan;
}
