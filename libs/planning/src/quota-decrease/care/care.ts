import { InputError, type ReadDecreaseSettings } from '#contracts';
import { keptBySnapshot } from '../../kept-by-snapshot.js';
import { orderByNumber } from '../../order-by-number.js';
import { type AllocationOrder, orderByAge } from '../../snapshot/allocations-read.js';
import { notInstant } from '../../snapshot/applications.js';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import type { Snapshot } from '../../snapshot/columns.js';
import { type CareColumns, careColumnsOf } from './columns.js';

/** The victim care of one plan: what of its inputs the settings use. docs/reference/policies/victim-care.md §1 */
export interface Care {
  readonly columns: CareColumns;
  readonly settings: Pick<
    ReadDecreaseSettings,
    'disruptionBudgets' | 'ownerBudgets' | 'gangs' | 'fit' | 'explain'
  >;
  /** The minimum run time by queue in milliseconds, 0 = off; null = off everywhere. */
  readonly minRun: Float64Array | null;
  /** By queue, the moment of which younger allocations are too young. */
  readonly youngAfter: Float64Array | null;
  /** With `ageFrom: "checkpoint"`, where there are checkpoints. */
  readonly lastSaved: LastSaved | null;
  /** Whether there are tests beside those of the policy itself, or shares: then plans are made in the steps of victim care. */
  readonly hasTests: boolean;
}

/**
 * The victim care of a plan; null where none of its inputs can change it. Checks all inputs in any case.
 *
 * @throws InputError with the path of the field (docs/reference/policies/victim-care.md §12).
 */
export function careOf(snapshot: QueueSnapshot, settings: ReadDecreaseSettings): Care | null {
  const columns = careColumnsOf(snapshot);
  const { budgets, gangs, checkpointedAt, queues } = columns;
  const minRun = minRunOf(snapshot, columns, settings.minRunSeconds * 1000);
  if (Number.isNaN(snapshot.takenAt) && (minRun !== null || settings.ownerBudgets.length > 0)) {
    throw new InputError('takenAt', notInstant(undefined));
  }
  const lastSaved =
    settings.ageFrom === 'checkpoint' && checkpointedAt !== null ? lastSavedOf(snapshot) : null;
  const hasTests =
    budgets !== null ||
    queues.limit !== null ||
    queues.share !== null ||
    settings.ownerBudgets.length > 0 ||
    (gangs !== null && settings.gangs !== 'ignore');
  if (minRun === null && lastSaved === null && !hasTests) return null;
  const youngAfter = minRun?.map((ms) => (ms > 0 ? snapshot.takenAt - ms : Number.POSITIVE_INFINITY)) ?? null;
  return { columns, settings, minRun, youngAfter, lastSaved, hasTests };
}

/** §2.1 */
function minRunOf(snapshot: Snapshot, { queues }: CareColumns, otherwise: number): Float64Array | null {
  const own = queues.minRun;
  if (own === null) return otherwise > 0 ? new Float64Array(snapshot.queues.count).fill(otherwise) : null;
  const minRun = own.map((ms) => (ms >= 0 ? ms : otherwise));
  // A minimum of any queue asks for `takenAt`, also where each leaf below it has one of its own.
  return minRun.some((ms) => ms > 0) || otherwise > 0 ? minRun : null;
}

/** By what rule 4 goes with `ageFrom: "checkpoint"`: docs/reference/policies/victim-care.md §3. */
export interface LastSaved extends Pick<AllocationOrder, 'byAge'> {
  /** By allocation: the later of its start and its checkpoint, in milliseconds since 1970. */
  readonly at: Float64Array;
}

/** Only for a snapshot with checkpoints. */
const lastSavedOf: (snapshot: Parameters<typeof careColumnsOf>[0]) => LastSaved = keptBySnapshot(
  (snapshot) => {
    const { startedAt, ids } = snapshot.allocations;
    const { checkpointedAt } = careColumnsOf(snapshot);
    const at = startedAt.map((start, a) => Math.max(start, checkpointedAt![a]!));
    // By rank, which has fewer digits than the age and no equals: every plan sorts by it.
    const rank = new Float64Array(at.length);
    orderByNumber(orderByAge(at, ids)).forEach((a, place) => {
      rank[a] = place;
    });
    return { at, byAge: { numbers: rank, limit: rank.length, ids } };
  },
);
