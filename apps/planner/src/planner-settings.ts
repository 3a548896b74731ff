import type { QuotaDecreaseSettings } from '@curtail/contracts';

export interface PlannerSettings {
  /** As it was set by the administrator; recorded with each plan. */
  policy: QuotaDecreaseSettings;
  /** How long the inputs of plans are kept, days. */
  snapshotRetentionDays: number;
  /** The mode of a partition for which none was set. */
  defaultMode: 'observe' | 'enforce';
  /** Of the lock of a queue; renewed while its run is planned. */
  leaseMs: number;
  /** Allocations that a plan may read. */
  mostAllocations: number;
  /** Victims that a plan may have. */
  mostVictims: number;
}
export const PLANNER_SETTINGS = Symbol('PlannerSettings');
