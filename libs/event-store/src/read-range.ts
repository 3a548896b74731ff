import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import type { Outgoing } from './read-outgoing.js';
import type { Cursor, StoredEvent } from './stored-event.js';

/** What of the log is wanted; absent: all of it. */
export interface LogRange {
  /** CloudEvents types. */
  types?: readonly string[];
  topic?: string;
  /** Events that happened at this time or later, RFC 3339. */
  from?: string;
  /** Events that happened before this time, RFC 3339. */
  to?: string;
  /** Up to this place and no further, for `readRange`. */
  through?: Cursor;
}

export interface RangePage<E = StoredEvent> {
  events: E[];
  /** Where to go on. */
  next: Cursor;
  /** Events of the log that lie between, wanted or not. */
  passed: number;
  /** There was no more that could be read. */
  atEnd: boolean;
}

/** Stored (compressed) size of the data of a page. */
const pageBytes = 4 * 1024 * 1024;

/**
 * Reads on from a cursor in commit order as `readPage` does, for those who read much: the end of the page is found by the sizes
 * alone, and of what is not wanted nothing is sent.
 *
 * @param limit events of the log that a page reaches over, at the most; fewer if they are long, but always one
 */
export function readRange(
  db: Tx | DataSource,
  cursor: Cursor,
  range: LogRange,
  limit: number,
): Promise<RangePage> {
  return readWith<StoredEvent>(wantedOfPage('data'), db, cursor, range, limit);
}

/** The same, with the data as the text that stands in the log. */
export function readOutgoingRange(
  db: Tx | DataSource,
  cursor: Cursor,
  range: LogRange,
  limit: number,
): Promise<RangePage<Outgoing>> {
  return readWith<Outgoing>(wantedOfPage('data::text'), db, cursor, range, limit);
}

async function readWith<E>(
  wanted: string,
  db: Tx | DataSource,
  cursor: Cursor,
  { types, topic, from, to, through }: LogRange,
  limit: number,
): Promise<RangePage<E>> {
  const ends: (Cursor & { passed: number; looked: number })[] = await db.query(endOfPage, [
    cursor.transactionId,
    cursor.position,
    limit,
    pageBytes,
    through?.transactionId ?? null,
    through?.position ?? null,
  ]);
  const end = ends[0];
  if (!end) return { events: [], next: cursor, passed: 0, atEnd: true };
  const { passed, looked, transactionId, position } = end;
  const events: E[] = await db.query(wanted, [
    cursor.transactionId,
    cursor.position,
    transactionId,
    position,
    types ?? null,
    topic ?? null,
    from ?? null,
    to ?? null,
  ]);
  return { events, next: { transactionId, position }, passed, atEnd: passed === looked && looked < limit };
}

/** How many events stand behind a cursor and before the end of the log. */
export async function countBehind(db: Tx | DataSource, cursor: Cursor): Promise<number> {
  const rows: { count: number }[] = await db.query(
    'SELECT count(*)::int AS count FROM events WHERE (transaction_id, position) > ($1::xid8, $2::bigint)',
    [cursor.transactionId, cursor.position],
  );
  return rows[0]?.count ?? 0;
}

/** How many events of the log are wanted. */
export async function countRange(db: Tx | DataSource, { types, topic, from, to }: LogRange): Promise<number> {
  const rows: { count: number }[] = await db.query(
    `SELECT count(*)::int AS count FROM events
     WHERE ($1::text[] IS NULL OR type = ANY ($1)) AND ($2::text IS NULL OR topic = $2)
       AND ($3::timestamptz IS NULL OR time >= $3) AND ($4::timestamptz IS NULL OR time < $4)`,
    [types ?? null, topic ?? null, from ?? null, to ?? null],
  );
  return rows[0]?.count ?? 0;
}

const endOfPage = `
  SELECT transaction_id::text AS "transactionId", sized.position::text AS position, nr::int AS passed,
         looked::int AS looked
  FROM (SELECT transaction_id, position, row_number() OVER log AS nr, sum(size) OVER log AS bytes,
               count(*) OVER () AS looked
        FROM (SELECT transaction_id, position, pg_column_size(data) AS size
              FROM events
              WHERE (transaction_id, position) > ($1::xid8, $2::bigint)
                AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())
                AND ($5::xid8 IS NULL OR (transaction_id, position) <= ($5, $6::bigint))
              ORDER BY transaction_id, position
              LIMIT $3) page
        WINDOW log AS (ORDER BY transaction_id, position)) sized
  WHERE nr = 1 OR bytes <= $4
  ORDER BY nr DESC
  LIMIT 1`;

const wantedOfPage = (data: string) => `
  SELECT transaction_id::text AS "transactionId", position::text, stream, version, id, type, topic, partition, key, time,
         traceparent, tracestate, ${data} AS data
  FROM events
  WHERE (transaction_id, position) > ($1::xid8, $2::bigint) AND (transaction_id, position) <= ($3::xid8, $4::bigint)
    AND ($5::text[] IS NULL OR type = ANY ($5)) AND ($6::text IS NULL OR topic = $6)
    AND ($7::timestamptz IS NULL OR time >= $7) AND ($8::timestamptz IS NULL OR time < $8)
  ORDER BY events.transaction_id, events.position`;
