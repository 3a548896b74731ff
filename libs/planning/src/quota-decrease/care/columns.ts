import { keptBySnapshot } from '../../kept-by-snapshot.js';
import type { Snapshot } from '../../snapshot/columns.js';
import { type BudgetColumns, readBudgets } from './budget-columns.js';
import { readCheckpoints } from './checkpoint-column.js';
import { readGangs } from './gang-column.js';
import { type QueueCareColumns, readQueueCare } from './queue-columns.js';
import { type RecentVictims, readRecentVictims } from './recent-victims.js';

/**
 * What a snapshot has for victim care, null where it has none of it: docs/reference/policies/victim-care.md §1. Checked once for all plans
 * of the policy, whatever their settings.
 */
export interface CareColumns {
  readonly budgets: BudgetColumns | null;
  readonly recentVictims: RecentVictims | null;
  /** `minMembers` by application, 0 = no gang. */
  readonly gangs: Float64Array | null;
  /** Milliseconds since 1970 by allocation; NaN = none. */
  readonly checkpointedAt: Float64Array | null;
  readonly queues: QueueCareColumns;
}

/** @throws InputError with the path of the field (docs/reference/policies/victim-care.md §12). */
export const careColumnsOf: (snapshot: Snapshot) => CareColumns = keptBySnapshot((snapshot) => ({
  queues: readQueueCare(snapshot),
  gangs: readGangs(snapshot),
  budgets: readBudgets(snapshot),
  checkpointedAt: readCheckpoints(snapshot),
  recentVictims: readRecentVictims(snapshot),
}));
