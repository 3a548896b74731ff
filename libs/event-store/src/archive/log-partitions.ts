import type { DataSource } from 'typeorm';
import { catalog } from '#contracts/events';
import { OUTLINE_DIGEST } from '../chain/event-digest.js';
import type { Tx } from '../database.js';
import { LogError } from '../known-event.js';
import { OUTLINE, SCHEMA_VERSION, STORED_SIZE } from '../packed-data.js';
import { beginning, type Cursor } from '../stored-event.js';
import type { ArchiveManifest } from './format.js';
import { isBefore } from './read-archive.js';

const idsAtOnce = 5000;

/** A month of the log, and its progress of being archived. */
export interface LogPartition {
  name: string;
  /** Null: from the beginning. */
  from: Date | null;
  to: Date;
  state: null | 'written' | 'detached' | 'dropped';
  archive: (ArchiveManifest & { folder: string }) | null;
  /** The place up to which it is archived; decided once, with the first attempt. */
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

/** The place up to which the partitions before one are archived: the rest of the log follows it. */
export function archivedBefore(partitions: readonly LogPartition[], name: string): Cursor {
  const before = partitions.slice(
    0,
    partitions.findIndex((partition) => partition.name === name),
  );
  return before.findLast(({ through }) => through !== null)?.through ?? beginning;
}

/**
 * The place up to which a partition can be archived: its last event, but not beyond a later recorded event that
 * precedes it in the order of commits. Undefined for a partition without events.
 *
 * @param after the archived place; events before it are copies.
 */
export async function endOfPartition(
  db: Tx | DataSource,
  { name, to }: LogPartition,
  after: Cursor,
): Promise<Cursor | undefined> {
  const behind = '(transaction_id, position) > ($1::xid8, $2::bigint)';
  const columns = 'transaction_id::text AS "transactionId", position::text';
  const place = [after.transactionId, after.position];
  const [later] = await db.query<Cursor[]>(
    `SELECT ${columns} FROM events WHERE ${behind} AND recorded_at >= $3
     ORDER BY events.transaction_id, events.position LIMIT 1`,
    [...place, to],
  );
  const [last] = await db.query<Cursor[]>(
    `SELECT ${columns} FROM ${name} WHERE ${behind}
       AND ($3::xid8 IS NULL OR (transaction_id, position) < ($3, $4::bigint))
     ORDER BY ${name}.transaction_id DESC, ${name}.position DESC LIMIT 1`,
    [...place, later?.transactionId ?? null, later?.position ?? null],
  );
  return last && isBefore(after, last) ? last : undefined;
}

/** Decides the place up to which a partition is archived. */
export async function noteEnd(db: DataSource, name: string, through: Cursor): Promise<void> {
  await db.query('UPDATE log_partitions SET transaction_id = $2::xid8, position = $3 WHERE name = $1', [
    name,
    through.transactionId,
    through.position,
  ]);
}

/** Records that the file of a partition was written and read back. */
export async function noteWritten(
  db: DataSource,
  name: string,
  archive: NonNullable<LogPartition['archive']>,
): Promise<void> {
  await db.query(
    `UPDATE log_partitions SET archive_state = 'written', archive = $2 WHERE name = $1 AND archive_state IS NULL`,
    [name, JSON.stringify(archive)],
  );
}

/**
 * Moves events of a partition into the next one by changing their time of recording: their places in the order of
 * commits stay.
 *
 * @param to the beginning of the next one.
 */
export async function moveOn(
  tx: Tx,
  { name, to }: Pick<LogPartition, 'name' | 'to'>,
  positions: readonly string[],
): Promise<void> {
  // Events older than event_ids are entered now: they are no longer in the first partition.
  await tx.query(
    `INSERT INTO event_ids (id, recorded_at) SELECT id, $2 FROM ${name} WHERE position = ANY ($1::bigint[])
     ON CONFLICT (id) DO UPDATE SET recorded_at = excluded.recorded_at`,
    [positions, to],
  );
  // Through the log, not the partition, so that a row moves from one to the other.
  await tx.query(
    `UPDATE events SET recorded_at = $2 WHERE recorded_at < $2 AND position = ANY ($1::bigint[])
       AND tableoid = '${name}'::regclass`,
    [positions, to],
  );
}

/**
 * Detaches a partition from the log. It waits only briefly for the lock, which others queue behind.
 *
 * @param through the place up to which it is archived; null: it has no events.
 * @throws QueryFailedError 55P03 if the lock was not granted (`isLockTimeout`).
 */
export async function detachPartition(db: DataSource, name: string, through: Cursor | null): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query("SET LOCAL lock_timeout = '300ms'");
    await tx.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const late = await tx.query<unknown[]>(
      `SELECT 1 FROM ${name} WHERE (transaction_id, position) > ($1::xid8, $2::bigint) LIMIT 1`,
      [through?.transactionId ?? '0', through?.position ?? '0'],
    );
    if (late.length > 0)
      throw new LogError('not-archived', `the archive of ${name} lacks some of its events`);
    await tx.query(`ALTER TABLE events DETACH PARTITION ${name}`);
    await tx.query("UPDATE log_partitions SET archive_state = 'detached' WHERE name = $1", [name]);
  });
}

/**
 * Deletes archived events by their ids, in batches; whole streams leave a note of their archive. Skips a partition that
 * was dropped.
 */
export async function forgetIds(db: DataSource, name: string): Promise<void> {
  if (!(await stands(db, name))) return;
  for (let after = '-1'; ; ) {
    const [row] = await db.query<{ last: string | null }[]>(
      `WITH page AS (SELECT position, id, stream FROM ${name} WHERE position > $1 ORDER BY position LIMIT $2),
       forgotten AS (DELETE FROM event_ids i USING page WHERE i.id = page.id),
       noted AS (UPDATE stream_heads h SET archived_in = $3 FROM (SELECT DISTINCT stream FROM page) gone
                 WHERE h.stream = gone.stream)
       SELECT max(position)::text AS last FROM page`,
      [after, idsAtOnce, name],
    );
    if (!row?.last) return;
    after = row.last;
  }
}

async function stands(db: DataSource, name: string): Promise<boolean> {
  const rows = await db.query<{ stands: boolean }[]>('SELECT to_regclass($1) IS NOT NULL AS stands', [name]);
  return rows[0]?.stands ?? false;
}

/** Deletes a detached partition. */
export async function dropPartition(db: DataSource, name: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(`DROP TABLE IF EXISTS ${name}`);
    await tx.query("UPDATE log_partitions SET archive_state = 'dropped' WHERE name = $1", [name]);
  });
}

/** The part of the log in one file: all events after `after` up to `through`, in the order of commits. */
export interface ArchivedPart {
  partition: string;
  from: string | null;
  to: string;
  after: Cursor;
  /** Undefined: there are no events. */
  through: Cursor | undefined;
}

export const eventsAtOnce = 1000;
/** The stored (compressed) size of the data read at once. */
const bytesAtOnce = 4 * 1024 * 1024;

interface ArchivedRow {
  transactionId: string;
  position: string;
  type: string;
  digest: string | null;
  line: string;
  packed: Buffer | null;
  /** The digest of the outline of packed data. */
  outlineDigest: string | null;
}

export async function* archivedRows(
  db: DataSource,
  { after, through }: ArchivedPart,
): AsyncGenerator<ArchivedRow> {
  if (!through) return;
  for (let cursor = after; ; ) {
    const rows = await db.query<ArchivedRow[]>(archivedPage, [
      cursor.transactionId,
      cursor.position,
      through.transactionId,
      through.position,
      eventsAtOnce,
      bytesAtOnce,
      catalog.PlanComputed.type,
    ]);
    yield* rows;
    const end = rows.at(-1);
    if (!end) return;
    cursor = end;
  }
}

// Each row with the stored text of its data, which is the last field; a line feed between tokens would end the line of the file. Data of rows
// that belong to the next page are not unpacked.
const archivedPage = `
  WITH sized AS MATERIALIZED (
    SELECT recorded_at, transaction_id, position,
           sum(bytes) OVER (ORDER BY transaction_id, position) - bytes AS before
    FROM (SELECT recorded_at, transaction_id, position, ${STORED_SIZE} AS bytes FROM events
          WHERE (transaction_id, position) > ($1::xid8, $2::bigint) AND (transaction_id, position) <= ($3::xid8, $4::bigint)
          ORDER BY transaction_id, position LIMIT $5) page
  )
  SELECT e.transaction_id::text AS "transactionId", e.position::text, e.type,
         CASE WHEN e.type = $7 THEN ${OUTLINE} ->> 'snapshotDigest' END AS digest,
         (SELECT replace(row_to_json(event)::text, E'\\n', ' ')
          FROM (SELECT e.position, e.transaction_id, stream, version, id, type, topic, partition, key, time, e.recorded_at,
                       traceparent, tracestate, ${SCHEMA_VERSION} AS schema_version, data) event) AS line,
         packed, CASE WHEN packed IS NOT NULL THEN ${OUTLINE_DIGEST} END AS "outlineDigest"
  FROM sized
  CROSS JOIN LATERAL (
    SELECT * FROM events WHERE events.position = sized.position AND events.recorded_at = sized.recorded_at OFFSET 0) e
  WHERE before <= $6
  ORDER BY sized.transaction_id, sized.position`;
