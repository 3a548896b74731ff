import type { DataSource } from 'typeorm';
import {
  answersStream,
  type Cursor,
  configStream,
  enforcementStream,
  type LogPartition,
  moveOn,
  operatorStream,
  planStream,
} from '#event-store';

/** Streams of one run or one eviction: they end with it. */
const runStreams = [
  ...[planStream(''), operatorStream(''), answersStream(''), enforcementStream('')],
  ...['eviction-', 'announcement-'],
];
const atOnce = 500;

/** $1: prefixes of streams that end. A run is open while it is due, holds a lock, is carried out, or is a round in progress. */
const OPEN = `
  SELECT prefix || run AS stream
  FROM unnest($1::text[]) AS prefix CROSS JOIN (
    SELECT running_enforcement AS run FROM clocks WHERE running_enforcement IS NOT NULL
    UNION SELECT state #>> '{pending,enforcement}' FROM clocks WHERE state #>> '{pending,enforcement}' IS NOT NULL
    UNION SELECT enforcement FROM runs
    UNION SELECT enforcement FROM rounds WHERE state <> 'over') open`;

/**
 * Events of a partition that are still needed: all of open runs; the last one of each continuing stream, since the next append
 * builds on it; and quota changes that no clock has applied yet.
 */
const worked = (partition: string) => `
  SELECT e.position FROM ${partition} e WHERE e.stream IN (${OPEN})
  UNION
  SELECT e.position FROM stream_heads h JOIN ${partition} e ON e.stream = h.stream AND e.version = h.version
  WHERE NOT EXISTS (SELECT FROM unnest($1::text[]) AS prefix WHERE starts_with(h.stream, prefix))
  UNION
  SELECT e.position FROM quota_changes c
  LEFT JOIN clocks s ON s.partition = c.partition AND s.queue = c.queue
  JOIN ${partition} e ON e.stream = '${configStream('')}' || c.partition AND e.version = c.version
  WHERE c.version > coalesce(s.config_version, 0)`;

/** How many events of a partition are still in use. */
export async function countWorkedWith(db: DataSource, { name }: LogPartition): Promise<number> {
  const rows = await db.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM (${worked(name)}) worked`,
    [runStreams],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Moves events in use into the next partition, with their positions in the commit order, so that they stay in the database when
 * their partition is dropped.
 *
 * @returns how many events there were.
 */
export function keepWorkedWith(db: DataSource, partition: LogPartition): Promise<number> {
  return keep(db, partition, `${worked(partition.name)} LIMIT ${atOnce}`, [runStreams]);
}

/** The same for all events behind the end of the archived part. */
export function keepBehind(db: DataSource, partition: LogPartition, through: Cursor): Promise<number> {
  return keep(
    db,
    partition,
    `SELECT position FROM ${partition.name} WHERE (transaction_id, position) > ($1::xid8, $2::bigint) LIMIT ${atOnce}`,
    [through.transactionId, through.position],
  );
}

/** In batches, each in its own transaction, so that other writers never wait long. */
async function keep(
  db: DataSource,
  partition: LogPartition,
  which: string,
  parameters: unknown[],
): Promise<number> {
  for (let moved = 0; ; ) {
    const rows = await db.query<{ position: string }[]>(which, parameters);
    if (rows.length === 0) return moved;
    moved += rows.length;
    const positions = rows.map(({ position }) => position);
    await db.transaction((tx) => moveOn(tx, partition, positions));
  }
}
