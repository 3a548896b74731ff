import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import { DATA, SCHEMA_VERSION, STORED_SIZE, unpackData } from './packed-data.js';
import { beginning, type Cursor, type StoredEvent } from './stored-event.js';

/**
 * Reads the event with an id in one partition of the log: `event_ids` has the time of its recording. An id that is
 * missing there can only be in the first partition, whose events are older than `event_ids`.
 *
 * @param id an SQL expression.
 */
export const eventById = (id: string) => `
  SELECT * FROM events
  WHERE events.id = ${id}
    AND events.recorded_at >= coalesce((SELECT recorded_at FROM event_ids WHERE event_ids.id = ${id}), '-infinity')
    AND events.recorded_at <= coalesce((SELECT recorded_at FROM event_ids WHERE event_ids.id = ${id}),
                                       (SELECT ends_at FROM log_partitions WHERE starts_at = '-infinity'))`;

const columns = `transaction_id::text AS "transactionId", position::text, stream, version, id, type, topic, partition, key,
  time, ${DATA} AS data, ${SCHEMA_VERSION} AS "schemaVersion"`;

/**
 * The events of a stream in the order of their versions, from `afterVersion` on. Without a limit all of them: a
 * decision on a part of a stream is wrong.
 */
export async function readStream(
  tx: Tx | DataSource,
  stream: string,
  options: { afterVersion?: number; limit?: number } = {},
): Promise<StoredEvent[]> {
  const events = await tx.query<StoredEvent[]>(
    `SELECT ${columns} FROM events WHERE stream = $1 AND version > $2 ORDER BY version LIMIT $3`,
    [stream, options.afterVersion ?? 0, options.limit ?? null],
  );
  return unpackData(events);
}

/** A stream, from a version on: `after` < version. */
export interface RestOfStream {
  stream: string;
  after: number;
}

/** The events of several streams after a version, in the order in which the streams are named; each stream once. */
export async function readStreams(
  tx: Tx | DataSource,
  rests: readonly RestOfStream[],
): Promise<StoredEvent[][]> {
  // OFFSET 0 keeps it one read of the index for each.
  const events = await tx.query<StoredEvent[]>(
    `SELECT e.* FROM unnest($1::text[], $2::int[]) AS rest (stream, after)
     CROSS JOIN LATERAL (
       SELECT ${columns} FROM events WHERE events.stream = rest.stream AND version > rest.after OFFSET 0) e
     ORDER BY e.version`,
    [rests.map(({ stream }) => stream), rests.map(({ after }) => after)],
  );
  const found = new Map<string, StoredEvent[]>(rests.map(({ stream }) => [stream, []]));
  for (const event of await unpackData(events)) found.get(event.stream)!.push(event);
  return rests.map(({ stream }) => found.get(stream)!);
}

/** A key of a stream, from a version on: `after` < version. */
export interface KeyOfStream {
  key: string;
  after: number;
}

/** The events of some keys and types in a stream, each key from its version on, in the order of their versions. */
export async function readKeysOfStream(
  tx: Tx | DataSource,
  { partition, stream }: { partition: string; stream: string },
  keys: readonly KeyOfStream[],
  types: readonly string[],
): Promise<StoredEvent[]> {
  // OFFSET 0 keeps it one read of the index of keys for each, however long the stream is.
  const events = await tx.query<StoredEvent[]>(
    `SELECT e.* FROM unnest($3::text[], $4::int[]) AS k (key, after)
     CROSS JOIN LATERAL (
       SELECT ${columns} FROM events
       WHERE partition = $1 AND key = k.key AND stream = $2 AND version > k.after AND type = ANY ($5::text[])
       OFFSET 0) e
     ORDER BY e.version`,
    [partition, stream, keys.map(({ key }) => key), keys.map(({ after }) => after), types],
  );
  return unpackData(events);
}

/** The last version of a stream, 0 if it has no events; also if its events are archived. */
export async function streamVersion(tx: Tx | DataSource, stream: string): Promise<number> {
  const rows = await tx.query<{ version: number }[]>(
    'SELECT coalesce(max(version), 0)::int AS version FROM stream_heads WHERE stream = $1',
    [stream],
  );
  return rows[0]?.version ?? 0;
}

/** The same of several streams; those without events are missing. */
export async function streamVersions(tx: Tx, streams: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.query<{ stream: string; version: number }[]>(
    'SELECT stream, version FROM stream_heads WHERE stream = ANY ($1::text[])',
    [streams],
  );
  return new Map(rows.map(({ stream, version }) => [stream, version]));
}

export interface EventPage {
  events: StoredEvent[];
  /** The cursor of the next page; equal to the given one if there was nothing. */
  next: Cursor;
  /** There are events that cannot be read yet, because an older transaction still runs. */
  heldBack: boolean;
  /** Nothing follows the page, as far as could be seen. */
  atEnd: boolean;
  /** Stored (compressed) size of the returned data. */
  bytes: number;
}

/** Stored (compressed) size of the data of a page: a log full of long plans must not fill the memory of its reader. */
const pageBytes = 4 * 1024 * 1024;

type PageRow = StoredEvent & { settled: boolean; wanted: boolean; bytes: number; found: number };

/**
 * Reads from a cursor in commit order. An event is returned only once every transaction older than its own has ended: a
 * late commit has a small transaction id and would otherwise be skipped forever. `append` explains why its order is
 * right.
 *
 * @param topics of the returned events; the cursor skips everything else. Absent: all.
 * @param limit the maximum number of rows; fewer if their data are long, but always one
 * @param maxBytes the maximum stored size of the returned data, unless a single event is longer; default 4 MiB
 */
export async function readPage(
  tx: Tx | DataSource,
  cursor: Cursor,
  options: { topics?: readonly string[]; limit: number; maxBytes?: number },
): Promise<EventPage> {
  const read = await readWith(page, tx, cursor, options);
  await unpackData(read.events);
  return read;
}

/** Reads a page with a query of `pageQuery`. */
export async function readWith(
  query: string,
  tx: Tx | DataSource,
  cursor: Cursor,
  options: { topics?: readonly string[]; limit: number; maxBytes?: number },
): Promise<EventPage> {
  const rows = await tx.query<PageRow[]>(query, [
    cursor.transactionId,
    cursor.position,
    options.limit,
    options.topics ?? null,
    options.maxBytes ?? pageBytes,
  ]);
  const settled = rows.filter((row) => row.settled);
  const read = settled.slice(0, options.limit);
  const last = read.at(-1);
  return {
    events: read.filter((row) => row.wanted).map(eventOf),
    next: last ? { transactionId: last.transactionId, position: last.position } : cursor,
    heldBack: settled.length < rows.length,
    atEnd: read.length === (rows[0]?.found ?? 0),
    bytes: last?.bytes ?? 0,
  };
}

/** Names each field: to copy the rest of a row, without the columns of the page, takes several times as long. */
const eventOf = (row: PageRow): StoredEvent => ({
  transactionId: row.transactionId,
  position: row.position,
  stream: row.stream,
  version: row.version,
  id: row.id,
  type: row.type,
  topic: row.topic,
  partition: row.partition,
  key: row.key,
  time: row.time,
  traceparent: row.traceparent,
  tracestate: row.tracestate,
  schemaVersion: row.schemaVersion,
  data: row.data,
});

const page = pageQuery(DATA);

// The stored sizes: only returned data are unpacked.
/** @param data the SQL of the data of an event. */
export function pageQuery(data: string): string {
  return `
  WITH page AS MATERIALIZED (
    SELECT *, $4::text[] IS NULL OR topic = ANY ($4::text[]) AS wanted
    FROM events
    WHERE (transaction_id, position) > ($1::xid8, $2::bigint)
    ORDER BY transaction_id, position
    LIMIT $3 + 1
  ), sized AS (
    SELECT *,
           count(*) OVER ()::int AS found,
           row_number() OVER (ORDER BY transaction_id, position) AS nr,
           sum(CASE WHEN wanted THEN ${STORED_SIZE} ELSE 0 END) OVER (ORDER BY transaction_id, position) AS bytes
    FROM page
  )
  SELECT transaction_id::text AS "transactionId", position::text, stream, version, id, type, topic, partition, key, time,
         traceparent, tracestate, ${SCHEMA_VERSION} AS "schemaVersion",
         transaction_id < (SELECT log_settled()) AS settled,
         wanted, found,
         bytes::float8 AS bytes,
         CASE WHEN wanted THEN ${data} END AS data
  FROM sized
  WHERE nr = 1 OR bytes <= $5
  ORDER BY sized.transaction_id, sized.position`;
}

/** As `readPage`, all topics, with null instead of the data, which are not unpacked. */
export async function readWithoutData(db: DataSource, cursor: Cursor, limit: number): Promise<EventPage> {
  return readWith(withoutData, db, cursor, { limit, maxBytes: Number.MAX_SAFE_INTEGER });
}

const withoutData = pageQuery('NULL');

/** The cursor after the last event that can be read now. */
export async function endOfLog(db: DataSource): Promise<Cursor> {
  const [last] = await db.query<Cursor[]>(
    `SELECT transaction_id::text AS "transactionId", position::text FROM events
     WHERE transaction_id < (SELECT log_settled()) ORDER BY transaction_id DESC, events.position DESC LIMIT 1`,
  );
  return last ?? beginning;
}

/**
 * Finds events of the log by id, in one statement.
 *
 * @param withData the ids whose data are read; the data of the others are null.
 * @returns the events found, by id. An id that is not in the log is missing.
 */
export async function readEventsById(
  db: Tx | DataSource,
  ids: readonly string[],
  withData: ReadonlySet<string>,
): Promise<Map<string, StoredEvent>> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  const found = await db.query<StoredEvent[]>(byId, [distinct, distinct.map((id) => withData.has(id))]);
  return new Map((await unpackData(found)).map((event) => [event.id, event]));
}

// OFFSET 0 keeps it one read of the index for each id, whatever the statistics of the table were when it was planned.
const byId = `
  SELECT e.transaction_id::text AS "transactionId", e.position::text, e.stream, e.version, e.id, e.type, e.topic, e.partition,
         e.key, e.time, CASE WHEN wanted.with_data THEN ${DATA} END AS data, e.traceparent, e.tracestate,
         ${SCHEMA_VERSION} AS "schemaVersion"
  FROM unnest($1::uuid[], $2::boolean[]) AS wanted (wanted_id, with_data)
  CROSS JOIN LATERAL (${eventById('wanted_id')} OFFSET 0) e`;
