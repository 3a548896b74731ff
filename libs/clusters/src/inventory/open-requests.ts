import type { DataSource, EntityManager } from 'typeorm';
import type { Resources, SnapshotAllocation } from '#contracts';
import { momentOf } from '../tables/moment.js';
import { BEHIND, mostBehindSeconds } from './platform-clocks.js';

/** SQL: until when an unanswered request of the table inventory_evictions may be carried out. */
export const OPEN_UNTIL = `deadline_at + ${BEHIND}`;

/**
 * SQL: whether an unanswered request of that table may be carried out. The first part alone finds few of them by their deadline.
 *
 * @param moment SQL: a parameter, the moment or null.
 */
export const isOpen = (moment: `$${number}`) =>
  `deadline_at > ${momentOf(moment)} - make_interval(secs => ${mostBehindSeconds}) AND ${OPEN_UNTIL} > ${momentOf(moment)}`;

/** An unanswered request for an allocation that the platform may still evict. */
export interface OpenRequest {
  evictionId: string;
  allocation: string;
  uid: string;
  queue: string;
  resources: Resources;
}

/** The open requests of a partition for allocations that still count as running. */
export function openRequests(
  db: DataSource | EntityManager,
  partition: string,
  now: Date | null,
): Promise<OpenRequest[]> {
  return db.query(
    `SELECT inventory_evictions.eviction_id AS "evictionId", a.id AS allocation, a.uid, a.queue, a.resources
     FROM inventory_evictions JOIN inventory_allocations a ON a.partition = inventory_evictions.partition
       AND a.id = inventory_evictions.allocation AND a.uid = inventory_evictions.uid
     WHERE inventory_evictions.partition = $1 AND answer IS NULL AND ${isOpen('$2')} AND NOT a.gone AND a.state = 'running'`,
    [partition, now],
  );
}

/** Allocations that may be evicted at any moment count as leaving in every plan, even after the requesting run has lost its lock. */
export function withRequested(
  allocations: SnapshotAllocation[],
  requests: readonly OpenRequest[],
): SnapshotAllocation[] {
  const asked = new Set(requests.map(({ allocation, uid }) => JSON.stringify([allocation, uid])));
  if (asked.size === 0) return allocations;
  return allocations.map((one) =>
    asked.has(JSON.stringify([one.id, one.uid])) ? { ...one, state: 'preempting' } : one,
  );
}
