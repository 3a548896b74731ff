import type { ClusterReader } from '@curtail/clusters';
import type { Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';
import { timerKind } from './schedule-session.js';

/**
 * Queues below a run that has ended, which were due and waited for it, are looked at again.
 *
 * @returns the partitions that have such queues.
 */
export async function letGoOn(tx: Tx, freed: { partition: string; queue: string }[]): Promise<Set<string>> {
  if (freed.length === 0) return new Set();
  const [rows]: [{ partition: string }[], number] = await tx.query(
    `UPDATE timers SET state = 'pending'
     FROM unnest($2::text[], $3::text[]) AS freed (partition, queue)
     WHERE timers.kind = $1 AND timers.partition = freed.partition AND timers.state = 'waiting'
       AND timers.name > freed.queue || '.' AND timers.name < freed.queue || '/'
     RETURNING timers.partition`,
    [timerKind, freed.map(({ partition }) => partition), freed.map(({ queue }) => queue)],
  );
  return new Set(rows.map(({ partition }) => partition));
}

/** Of `waiting` timers, those that wait for nothing but the size of the cluster, which their limit is a share of. */
const FOR_SIZE = `
  kind = $1 AND state = 'waiting'
  AND EXISTS (SELECT FROM schedules s WHERE s.partition = timers.partition AND s.queue = timers.name
              AND s.state #>> '{values,maxShare}' IS NOT NULL)
  AND NOT EXISTS (SELECT FROM schedules r WHERE r.partition = timers.partition AND r.running_enforcement IS NOT NULL
                  AND starts_with(timers.name, r.queue || '.'))`;

/** Partitions with due queues that wait until the size of the cluster is known. */
export async function waitingForSize(db: DataSource): Promise<string[]> {
  const rows: { partition: string }[] = await db.query(
    `SELECT DISTINCT partition FROM timers WHERE ${FOR_SIZE} ORDER BY partition`,
    [timerKind],
  );
  return rows.map(({ partition }) => partition);
}

/** Has those queues of a partition looked at again, once the size is known. @returns whether it is. */
export async function letGoOnWithSize(
  db: DataSource,
  cluster: ClusterReader,
  partition: string,
): Promise<boolean> {
  if (Object.keys(await cluster.capacity(partition)).length === 0) return false;
  await db.query(`UPDATE timers SET state = 'pending' WHERE ${FOR_SIZE} AND partition = $2`, [
    timerKind,
    partition,
  ]);
  return true;
}
