import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';
import { momentOf } from '../tables/moment.js';

/** The cluster that a partition belongs to, as its sender reports; undefined while no report has named one. */
export async function clusterOfPartition(
  db: Tx | DataSource,
  partition: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ cluster: string | null }[]>(
    'SELECT cluster FROM inventory_partitions WHERE partition = $1',
    [partition],
  );
  return row?.cluster ?? undefined;
}

/** Assigns the partition to this cluster, after its first report is recorded. Call it inside the lock of the partition. */
export async function keepCluster(tx: Tx, partition: string, cluster: string): Promise<void> {
  await tx.query('UPDATE inventory_partitions SET cluster = $2 WHERE partition = $1 AND cluster IS NULL', [
    partition,
    cluster,
  ]);
}

/**
 * Counts reports of another cluster, which are ignored: they would mix its work with that of the partition's own cluster. Call it
 * inside the lock of the partition.
 *
 * @param now for tests, in place of the clock of the database.
 */
export async function noteOtherCluster(
  tx: Tx,
  partition: string,
  { cluster, reports, now }: { cluster: string; reports: number; now: Date | null },
): Promise<void> {
  await tx.query(
    `UPDATE inventory_partitions SET
       other_since = CASE WHEN other_at > ${momentOf('$4')} - ${otherClusterShown} THEN other_since ELSE ${momentOf('$4')} END,
       other_count = $3 + CASE WHEN other_at > ${momentOf('$4')} - ${otherClusterShown} THEN other_count ELSE 0 END,
       other_cluster = $2, other_at = ${momentOf('$4')}
     WHERE partition = $1`,
    [partition, cluster, reports, now],
  );
}

/** SQL: how long after its last report another cluster is shown. Agents report more often than this. */
export const otherClusterShown = "interval '5 minutes'";
