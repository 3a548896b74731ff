import type { DataSource } from 'typeorm';
import { deleteOldest, type Tx } from '#event-store';

/**
 * Records the use of nodes by starts with victims, for the back-off, with the time of the snapshot that the starts were
 * planned on (docs/reference/policies/fair-share.md §12).
 */
export async function notePreemptiveStarts(
  tx: Tx,
  partition: string,
  nodes: Iterable<string>,
  takenAt: string,
): Promise<void> {
  const names = [...new Set(nodes)].sort();
  if (names.length === 0) return;
  await tx.query(
    `INSERT INTO preemptive_nodes (partition, node, last_preemptive_at)
     SELECT $1, node, $3 FROM unnest($2::text[]) AS used (node)
     ON CONFLICT (partition, node) DO UPDATE
       SET last_preemptive_at = greatest(preemptive_nodes.last_preemptive_at, excluded.last_preemptive_at)`,
    [partition, names, takenAt],
  );
}

/**
 * Deletes nodes whose last start is this many days ago, the oldest first.
 *
 * @returns the number of deleted nodes; fewer than `limit` if none is left.
 */
export function trimPreemptiveNodes(db: DataSource, days: number, limit: number): Promise<number> {
  const isOver = 'last_preemptive_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'preemptive_nodes', { key: ['partition', 'node'], isOver, days, limit });
}
