import type { Tx } from '#event-store';

/**
 * $1 eviction ids. Where the platform answered that another incarnation has the id of the victim, that one counts as usage from the answer
 * on, until a report or a listing says more: it is taken to be as large as the victim, on no known node, and to have started now. It has
 * the sequence of the last listing, so every report that still counts is newer. What reports already say of the id is not touched.
 */
const PRESUME = `
  INSERT INTO inventory_allocations (
    partition, id, uid, sequence, gone, application, queue, resources, priority, role, allow_preemption, started_at, state,
    interruptible, protected, budgets)
  SELECT DISTINCT ON (a.partition, a.id) a.partition, a.id, asked.answer ->> 'uid', p.listed_sequence, false, a.application, a.queue,
    a.resources, a.priority, a.role, a.allow_preemption, date_trunc('milliseconds', clock_timestamp()), 'running',
    a.interruptible, a.protected, a.budgets
  FROM inventory_evictions asked
  JOIN inventory_partitions p ON p.partition = asked.partition
  JOIN inventory_allocations a ON a.partition = asked.partition AND a.id = asked.allocation AND a.uid = asked.uid
  WHERE asked.eviction_id = ANY ($1) AND asked.answer ->> 'answer' = 'other-incarnation' AND a.resources IS NOT NULL
    AND NOT EXISTS (SELECT FROM inventory_allocations other
                    WHERE other.partition = a.partition AND other.id = a.id AND NOT other.gone)
  ORDER BY a.partition, a.id, a.sequence DESC
  ON CONFLICT DO NOTHING`;

/** Counts the incarnations that have replaced victims, after the answers are recorded and the victims are gone. */
export async function presumeReplacements(tx: Tx, evictionIds: readonly string[]): Promise<void> {
  if (evictionIds.length > 0) await tx.query(PRESUME, [evictionIds]);
}

/**
 * $1 partition, $2 ids that are held by several incarnations. One that the platform has answered to be replaced is the older one, whatever
 * the sequence of the report that named it: that report was late. Of the others the one reported last is the newest.
 */
const NEWEST = `
  SELECT DISTINCT ON (a.id) a.id, a.uid, (max(a.sequence) OVER (PARTITION BY a.id))::text AS sequence
  FROM inventory_allocations a LEFT JOIN inventory_evictions asked ON asked.eviction_id = a.eviction_id
  WHERE a.partition = $1 AND a.id = ANY ($2) AND NOT a.gone
  ORDER BY a.id, (asked.answer ->> 'answer' IS NOT DISTINCT FROM 'other-incarnation'), a.sequence DESC, a.uid DESC`;

/** The newest incarnation of an id, with the greatest sequence of a report about any of its incarnations. */
export interface Newest {
  id: string;
  uid: string;
  sequence: string;
}

export const newestOf = (tx: Tx, partition: string, ids: readonly string[]): Promise<Newest[]> =>
  tx.query(NEWEST, [partition, ids]);
