import { keptBySnapshot } from '../../kept-by-snapshot.js';
import { orderByNumber } from '../../order-by-number.js';
import { type AllocationOrder, orderByAge } from '../../snapshot/allocation-order.js';
import { careColumnsOf } from './columns.js';

/** By what rule 4 goes with `ageFrom: "checkpoint"`: docs/reference/policies/victim-care.md §3. */
export interface LastSaved extends Pick<AllocationOrder, 'byAge'> {
  /** By allocation: the later of its start and its checkpoint, in milliseconds since 1970. */
  readonly at: Float64Array;
}

/** Only for a snapshot with checkpoints. */
export const lastSavedOf: (snapshot: Parameters<typeof careColumnsOf>[0]) => LastSaved = keptBySnapshot(
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
