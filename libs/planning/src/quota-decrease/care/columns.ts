import { keptBySnapshot } from '../../kept-by-snapshot.js';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { type BudgetColumns, readBudgets } from './budget-columns.js';
import { readCheckpoints } from './checkpoint-column.js';
import { type GangColumns, readGangs } from './gang-columns.js';
import { type QueueCareColumns, readQueueCare } from './queue-columns.js';
import { type RecentVictims, readRecentVictims } from './recent-victims.js';

/**
 * The data of a snapshot for victim care, null where it has none of it: docs/reference/policies/victim-care.md §1. Checked once for all plans
 * of the policy, whatever their settings.
 */
export interface CareColumns {
  readonly budgets: BudgetColumns | null;
  readonly recentVictims: RecentVictims | null;
  readonly gangs: GangColumns | null;
  /** Milliseconds since 1970 by allocation; -Infinity = none. */
  readonly checkpointedAt: Float64Array | null;
  readonly queues: QueueCareColumns;
}

/** @throws InputError with the path of the field (docs/reference/policies/victim-care.md §12). */
export const careColumnsOf: (snapshot: QueueSnapshot) => CareColumns = keptBySnapshot((snapshot) => ({
  queues: readQueueCare(snapshot),
  gangs: readGangs(snapshot),
  budgets: readBudgets(snapshot),
  checkpointedAt: readCheckpoints(snapshot),
  recentVictims: readRecentVictims(snapshot),
}));
