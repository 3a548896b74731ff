import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import { DATA, SCHEMA_VERSION, STORED_SIZE, unpackData, unpackTexts } from './packed-data.js';
import { eventById } from './read.js';
import { type Outgoing, SENT_DATA } from './read-outgoing.js';
import type { Cursor, StoredEvent } from './stored-event.js';

/** The requested part of the log; absent: all of it. */
export interface LogRange {
  /** CloudEvents types. */
  types?: readonly string[];
  topic?: string;
  /** Events that happened at this time or later, RFC 3339. */
  from?: string;
  /** Events that happened before this time, RFC 3339. */
  to?: string;
  /** Up to this place, for `readRange`. */
  through?: Cursor;
}

export interface RangePage<E> {
  events: E[];
  /** The cursor of the next page. */
  next: Cursor;
  /** Events of the log in between, requested or not. */
  passed: number;
  /** There was nothing more to read. */
  atEnd: boolean;
}

/** Stored (compressed) size of the data of a page. */
const pageBytes = 4 * 1024 * 1024;

/** The content of an event, without its place. */
export type EventContent = Pick<
  StoredEvent,
  'id' | 'type' | 'schemaVersion' | 'partition' | 'key' | 'time' | 'data'
>;

/**
 * Reads from a cursor in commit order as `readPage` does, for large reads: the sizes alone determine the end of the
 * page, and unrequested events are not sent.
 *
 * @param limit the maximum number of events of the log that a page covers; fewer if they are long, but always one
 */
export async function readRange(
  db: Tx | DataSource,
  cursor: Cursor,
  range: LogRange,
  limit: number,
): Promise<RangePage<EventContent>> {
  const { types, topic, from, to, through } = range;
  const page =
    (types ?? topic ?? from ?? to)
      ? await readWith<Timed>(contentOfPage, db, cursor, range, limit)
      : await readAll(db, cursor, through, limit);
  await unpackData(page.events);
  for (const event of page.events) event.time = new Date(event.ms);
  return page;
}

/** Times are in milliseconds: parsing dates from texts takes long for very many of them. */
type Timed = EventContent & { ms: number };

/**
 * Every event is requested: the page is read at once, up to the event that makes it too long. That event is queried
 * afterwards: together with the rows it would cost more.
 */
async function readAll(
  db: Tx | DataSource,
  cursor: Cursor,
  through: Cursor | undefined,
  limit: number,
): Promise<RangePage<Timed>> {
  const events = await db.query<(Timed & { cut: boolean })[]>(allOfPage, [
    ...placeOf(cursor, through, limit),
    pageBytes,
  ]);
  const last = events.at(-1);
  if (!last) return { events, next: cursor, passed: 0, atEnd: true };
  const [next] = await db.query<Cursor[]>(placeOfEvent, [last.id]);
  return { events, next: next!, passed: events.length, atEnd: events.length < limit && !last.cut };
}

/** The same, with all exported fields, and the data as the text in the log. */
export async function readOutgoingRange(
  db: Tx | DataSource,
  cursor: Cursor,
  range: LogRange,
  limit: number,
): Promise<RangePage<Outgoing>> {
  const page = await readWith<Outgoing>(outgoingOfPage, db, cursor, range, limit);
  await unpackTexts(page.events);
  return page;
}

async function readWith<E>(
  wanted: string,
  db: Tx | DataSource,
  cursor: Cursor,
  { types, topic, from, to, through }: LogRange,
  limit: number,
): Promise<RangePage<E>> {
  const end = await endOf(db, cursor, through, limit);
  if (!end) return { events: [], next: cursor, passed: 0, atEnd: true };
  const { passed, atEnd, transactionId, position } = end;
  const events = await db.query<E[]>(wanted, [
    cursor.transactionId,
    cursor.position,
    passed,
    types ?? null,
    topic ?? null,
    from ?? null,
    to ?? null,
  ]);
  return { events, next: { transactionId, position }, passed, atEnd };
}

interface PageEnd extends Cursor {
  passed: number;
  atEnd: boolean;
}

/** The end of a page, by the number of its events or by their size; undefined if there is none. */
async function endOf(
  db: Tx | DataSource,
  cursor: Cursor,
  through: Cursor | undefined,
  limit: number,
): Promise<PageEnd | undefined> {
  const place = placeOf(cursor, through, limit);
  const whole = await db.query<(PageEnd & { bytes: number })[]>(endByNumber, place);
  const [end] = whole;
  if (!end) return undefined;
  if (end.bytes <= pageBytes) return { ...end, atEnd: end.passed < limit };
  const cut = await db.query<PageEnd[]>(endBySize, [...place, pageBytes]);
  const [shorter] = cut;
  return shorter && { ...shorter, atEnd: end.passed < limit && shorter.passed === end.passed };
}

const placeOf = (cursor: Cursor, through: Cursor | undefined, limit: number) => [
  cursor.transactionId,
  cursor.position,
  limit,
  through?.transactionId ?? null,
  through?.position ?? null,
];

/** The number of events after a cursor and before the end of the log. */
export async function countBehind(db: Tx | DataSource, cursor: Cursor): Promise<number> {
  const rows = await db.query<{ count: number }[]>(
    'SELECT count(*)::int AS count FROM events WHERE (transaction_id, position) > ($1::xid8, $2::bigint)',
    [cursor.transactionId, cursor.position],
  );
  return rows[0]?.count ?? 0;
}

/** The number of requested events. */
export async function countRange(db: Tx | DataSource, { types, topic, from, to }: LogRange): Promise<number> {
  const rows = await db.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM events
     WHERE ($1::text[] IS NULL OR type = ANY ($1)) AND ($2::text IS NULL OR topic = $2)
       AND ($3::timestamptz IS NULL OR time >= $3) AND ($4::timestamptz IS NULL OR time < $4)`,
    [types ?? null, topic ?? null, from ?? null, to ?? null],
  );
  return rows[0]?.count ?? 0;
}

const readable = `
    FROM events
    WHERE (transaction_id, position) > ($1::xid8, $2::bigint) AND transaction_id < (SELECT log_settled())
      AND ($4::xid8 IS NULL OR (transaction_id, position) <= ($4, $5::bigint))
    ORDER BY transaction_id, position
    LIMIT $3`;
const read = `
  page AS MATERIALIZED (SELECT transaction_id, position, ${STORED_SIZE} AS size ${readable})`;

const endByNumber = `
  WITH ${read}
  SELECT transaction_id::text AS "transactionId", position::text, (SELECT count(*)::int FROM page) AS passed,
         (SELECT sum(size)::float8 FROM page) AS bytes
  FROM page
  ORDER BY page.transaction_id DESC, page.position DESC
  LIMIT 1`;

const endBySize = `
  WITH ${read}, sized AS (
    SELECT *, row_number() OVER log AS nr, sum(size) OVER log AS bytes FROM page
    WINDOW log AS (ORDER BY transaction_id, position))
  SELECT transaction_id::text AS "transactionId", position::text, nr::int AS passed
  FROM sized
  WHERE nr = 1 OR bytes <= $6
  ORDER BY nr DESC
  LIMIT 1`;

// By their number and not by their last place: with two bounds, the planner of the database would rather sort the whole
// log. No event can be inserted in between: the log before the end is settled.
const wantedOfPage = (columns: string) => `
  SELECT ${columns}
  FROM (SELECT * FROM events WHERE (transaction_id, position) > ($1::xid8, $2::bigint)
        ORDER BY transaction_id, position LIMIT $3) page
  WHERE ($4::text[] IS NULL OR type = ANY ($4)) AND ($5::text IS NULL OR topic = $5)
    AND ($6::timestamptz IS NULL OR time >= $6) AND ($7::timestamptz IS NULL OR time < $7)
  ORDER BY page.transaction_id, page.position`;
const content = `id, type, ${SCHEMA_VERSION} AS "schemaVersion", partition, key, (extract(epoch FROM time) * 1000)::float8 AS ms, ${DATA} AS data`;
const contentOfPage = wantedOfPage(content);
const allOfPage = `
  SELECT ${content}, bytes > $6 AS cut
  FROM (SELECT *, sum(${STORED_SIZE}) OVER (ORDER BY transaction_id, position ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (SELECT * ${readable}) page) sized
  WHERE bytes - ${STORED_SIZE} <= $6
  ORDER BY sized.transaction_id, sized.position`;
const placeOfEvent = `SELECT transaction_id::text AS "transactionId", position::text FROM (${eventById('$1::uuid')}) event`;
const outgoingOfPage = wantedOfPage(
  `transaction_id::text AS "transactionId", position::text, stream, version, id, type, topic, partition, key, time, traceparent,
   tracestate, ${SCHEMA_VERSION} AS "schemaVersion", ${SENT_DATA} AS data`,
);
