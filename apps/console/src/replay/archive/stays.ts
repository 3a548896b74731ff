import {
  type Cursor,
  configStream,
  executionStream,
  operatorStream,
  planStream,
  type Tx,
} from '@curtail/event-store';
import type { DataSource } from 'typeorm';
import type { LogPartition } from './log-partitions.js';

/** Streams of one run each, or of one eviction: nothing comes to them once it is over. */
const runStreams = [planStream(''), operatorStream(''), executionStream(''), 'eviction-', 'announcement-'];
const atOnce = 500;

/** $1: prefixes of the names of streams that end. A run is open while it holds a lock, is carried out, or is a round under way. */
const OPEN = `
  SELECT prefix || run AS stream
  FROM unnest($1::text[]) AS prefix CROSS JOIN (
    SELECT running_enforcement AS run FROM schedules WHERE running_enforcement IS NOT NULL
    UNION SELECT enforcement FROM executions
    UNION SELECT enforcement FROM rounds WHERE state <> 'over') open`;

/**
 * Events of a partition that are still needed: all of open runs; the last one of each stream that continues, since the next append
 * builds on it; and changes of quotas that no clock has applied.
 */
const worked = (partition: string) => `
  SELECT e.position FROM ${partition} e WHERE e.stream IN (${OPEN})
  UNION
  SELECT e.position FROM stream_heads h JOIN ${partition} e ON e.stream = h.stream AND e.version = h.version
  WHERE NOT EXISTS (SELECT FROM unnest($1::text[]) AS prefix WHERE starts_with(h.stream, prefix))
  UNION
  SELECT e.position FROM quota_changes c
  LEFT JOIN schedules s ON s.partition = c.partition AND s.queue = c.queue
  JOIN ${partition} e ON e.stream = '${configStream('')}' || c.partition AND e.version = c.version
  WHERE c.version > coalesce(s.config_version, 0)`;

/** How many events of a partition are still worked with. */
export async function countWorkedWith(db: DataSource, { name }: LogPartition): Promise<number> {
  const rows: { count: number }[] = await db.query(
    `SELECT count(*)::int AS count FROM (${worked(name)}) worked`,
    [runStreams],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Moves what is still worked with into the next partition, with its place in the order of commits: it stays in the database when its
 * partition goes.
 *
 * @returns how many events there were.
 */
export function keepWorkedWith(db: DataSource, partition: LogPartition): Promise<number> {
  return moveOn(db, partition, `${worked(partition.name)} LIMIT ${atOnce}`, [runStreams]);
}

/** The same with what stands behind the place up to which the partition is archived. */
export function keepBehind(db: DataSource, partition: LogPartition, through: Cursor): Promise<number> {
  return moveOn(
    db,
    partition,
    `SELECT position FROM ${partition.name} WHERE (transaction_id, position) > ($1::xid8, $2::bigint) LIMIT ${atOnce}`,
    [through.transactionId, through.position],
  );
}

/** Some at a time, each time in a transaction of its own: no other writer waits for long. */
async function moveOn(
  db: DataSource,
  { name, to }: LogPartition,
  which: string,
  parameters: unknown[],
): Promise<number> {
  for (let moved = 0; ; ) {
    const positions: { position: string }[] = await db.query(which, parameters);
    if (positions.length === 0) return moved;
    moved += positions.length;
    await db.transaction((tx) =>
      moveRows(
        tx,
        name,
        to,
        positions.map(({ position }) => position),
      ),
    );
  }
}

async function moveRows(tx: Tx, name: string, to: Date, positions: string[]): Promise<void> {
  // Those from before there was event_ids are entered now: that they are in the first partition is no longer true.
  await tx.query(
    `INSERT INTO event_ids (id, recorded_at) SELECT id, $2 FROM ${name} WHERE position = ANY ($1::bigint[])
     ON CONFLICT (id) DO UPDATE SET recorded_at = excluded.recorded_at`,
    [positions, to],
  );
  // By the log, not by the partition: so a row goes from one into another.
  await tx.query(
    `UPDATE events SET recorded_at = $2 WHERE recorded_at < $2 AND position = ANY ($1::bigint[])
       AND tableoid = '${name}'::regclass`,
    [positions, to],
  );
}
