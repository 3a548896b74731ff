import { type ArchiveManifest, beginning, type Cursor, isBefore, type Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

export interface LogPartition {
  name: string;
  /** Null: from the beginning. */
  from: Date | null;
  to: Date;
  state: null | 'written' | 'detached' | 'dropped';
  archive: (ArchiveManifest & { folder: string }) | null;
  /** Up to where it is archived; decided once, with the first try. */
  through: Cursor | null;
}

/** All partitions but the one for the rest, the oldest first. */
export async function logPartitions(db: Tx | DataSource): Promise<LogPartition[]> {
  return db.query(
    `SELECT name, CASE WHEN starts_at > '-infinity' THEN starts_at END AS "from", ends_at AS "to", archive_state AS state,
            archive, CASE WHEN transaction_id IS NOT NULL THEN
              json_build_object('transactionId', transaction_id::text, 'position', position::text) END AS through
     FROM log_partitions ORDER BY log_partitions.ends_at`,
  );
}

/** The place up to which the partitions before one are archived: the rest of the log stands behind it. */
export function archivedBefore(partitions: readonly LogPartition[], name: string): Cursor {
  const before = partitions.slice(
    0,
    partitions.findIndex((partition) => partition.name === name),
  );
  return before.findLast(({ through }) => through !== null)?.through ?? beginning;
}

/**
 * Up to where the events of a partition can go: to its last one, but not over one that was recorded after it and still stands before it
 * in the order of commits. Undefined for a partition without events.
 *
 * @param after what is archived already; events before that are copies.
 */
export async function endOfPartition(
  db: Tx | DataSource,
  { name, to }: LogPartition,
  after: Cursor,
): Promise<Cursor | undefined> {
  const behind = '(transaction_id, position) > ($1::xid8, $2::bigint)';
  const columns = 'transaction_id::text AS "transactionId", position::text';
  const place = [after.transactionId, after.position];
  const [later]: Cursor[] = await db.query(
    `SELECT ${columns} FROM events WHERE ${behind} AND recorded_at >= $3
     ORDER BY events.transaction_id, events.position LIMIT 1`,
    [...place, to],
  );
  const [last]: Cursor[] = await db.query(
    `SELECT ${columns} FROM ${name} WHERE ${behind}
       AND ($3::xid8 IS NULL OR (transaction_id, position) < ($3, $4::bigint))
     ORDER BY ${name}.transaction_id DESC, ${name}.position DESC LIMIT 1`,
    [...place, later?.transactionId ?? null, later?.position ?? null],
  );
  return last && isBefore(after, last) ? last : undefined;
}
