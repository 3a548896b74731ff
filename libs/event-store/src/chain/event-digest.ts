import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createGunzip } from 'node:zlib';
import type { DataSource } from 'typeorm';
import type { Tx } from '../database.js';
import { SCHEMA_VERSION } from '../packed-data.js';
import type { Cursor } from '../stored-event.js';

/*
 * The digest of an event: SHA-256 over its fields, the SHA-256 of its data and, of packed data, that of their outline. The server computes
 * it where the row is, in some microseconds; for packed data this process does, over the unpacked text, because archives hold that.
 * `recorded_at` is no part of it, since it changes when an event stays behind its archived month (`moveOn`), and neither is the place of the
 * event, which blocks hold beside the digest.
 */

const epochMs = '(extract(epoch FROM time) * 1000)::bigint';

/** SQL: the fields, a line each; free ones behind their length, so that nothing can move from one to the next. */
const HEAD = `concat_ws(E'\\n', id, version, type, topic, ${epochMs}, ${SCHEMA_VERSION},
  ${['stream', 'partition', 'key', 'traceparent', 'tracestate'].map((field) => `coalesce(length(${field}), -1), ${field}`).join(', ')})`;

/** As `HEAD`, of a row of an archive. */
function headOf(row: Record<string, unknown>): string {
  const free = ['stream', 'partition', 'key', 'traceparent', 'tracestate'].flatMap((field) =>
    typeof row[field] === 'string' ? [[...row[field]].length, row[field]] : [-1],
  );
  const { id, version, type, topic, time, schema_version } = row;
  return [id, version, type, topic, Date.parse(String(time)), schema_version, ...free].join('\n');
}

// Archives replace a line feed between tokens, which would end their line.
const DATA_DIGEST = `sha256(convert_to(replace(coalesce(data::text, 'null'), E'\\n', ' '), 'UTF8'))`;

/** SQL: the digest of an event whose data are not packed. */
const DIGEST = `sha256(convert_to(${HEAD}, 'UTF8') || ${DATA_DIGEST})`;

/** SQL: the entry of such an event in a block; null for packed data. */
export const ENTRY = `CASE WHEN packed IS NULL
  THEN int8send(transaction_id::text::bigint) || int8send(events.position) || ${DIGEST} END`;

/** SQL: the digest of the outline of packed data. */
export const OUTLINE_DIGEST = `encode(sha256(convert_to(outline::text, 'UTF8')), 'hex')`;

/** SQL: the columns of `DigestedRow`. */
const COLUMNS = `transaction_id::text AS "transactionId", position::text, partition,
  CASE WHEN packed IS NULL THEN ${DIGEST} END AS digest, CASE WHEN packed IS NOT NULL THEN ${HEAD} END AS head,
  CASE WHEN packed IS NOT NULL THEN ${OUTLINE_DIGEST} END AS outline,
  CASE WHEN packed IS NOT NULL THEN recorded_at::text END AS "recordedAt"`;

interface DigestedRow extends Cursor {
  partition: string;
  /** Null for packed data. */
  digest: Buffer | null;
  /** For packed data. */
  head: string | null;
  outline: string | null;
  recordedAt: string | null;
}

/** An event with its digest, at its place in commit order. */
export interface DigestedEvent extends Cursor {
  partition: string;
  digest: Buffer;
}

/** The settled events behind a place, in commit order. */
export async function digestedPage(
  db: Tx | DataSource,
  after: Cursor,
  limit: number,
): Promise<DigestedEvent[]> {
  const rows = await db.query<DigestedRow[]>(
    `SELECT ${COLUMNS} FROM events
     WHERE (transaction_id, events.position) > ($1::xid8, $2::bigint) AND transaction_id < (SELECT log_settled())
     ORDER BY transaction_id, events.position LIMIT $3`,
    [after.transactionId, after.position, limit],
  );
  return digestsOf(db, rows);
}

/** All events behind a place, up to another one, in commit order. */
export async function digestedRange(
  db: Tx | DataSource,
  after: Cursor,
  through: Cursor,
): Promise<DigestedEvent[]> {
  const rows = await db.query<DigestedRow[]>(
    `SELECT ${COLUMNS} FROM events
     WHERE (transaction_id, events.position) > ($1::xid8, $2::bigint)
       AND (transaction_id, events.position) <= ($3::xid8, $4::bigint)
     ORDER BY transaction_id, events.position`,
    [after.transactionId, after.position, through.transactionId, through.position],
  );
  return digestsOf(db, rows);
}

async function digestsOf(db: Tx | DataSource, rows: DigestedRow[]): Promise<DigestedEvent[]> {
  const events: DigestedEvent[] = [];
  // One packed event after the other: each may be long.
  for (const { transactionId, position, partition, digest, head, outline, recordedAt } of rows) {
    events.push({
      transactionId,
      position,
      partition,
      digest: digest ?? digestOf(head!, await packedDigest(db, position, recordedAt!), outline),
    });
  }
  return events;
}

/** Of the unpacked text; of data that cannot be unpacked, of the bytes. */
async function packedDigest(db: Tx | DataSource, position: string, recordedAt: string): Promise<Buffer> {
  const [row] = await db.query<{ packed: Buffer | null }[]>(
    'SELECT packed FROM events WHERE position = $1 AND recorded_at = $2::timestamptz',
    [position, recordedAt],
  );
  const packed = row?.packed ?? Buffer.alloc(0);
  const hash = createHash('sha256');
  const gunzip = createGunzip();
  try {
    gunzip.on('data', (chunk: Buffer) => hash.update(chunk));
    gunzip.end(packed);
    await once(gunzip, 'end');
    return hash.digest();
  } catch {
    return createHash('sha256').update(packed).digest();
  }
}

/** The digest of a line of an archive, `{"event":…}`, whose last field is the data. */
export function digestOfLine(line: string): Buffer {
  // Not within a text: there, quotes are escaped.
  const at = line.indexOf(dataField);
  const row = JSON.parse(`${line.slice('{"event":'.length, at)}}`) as Record<string, unknown>;
  const data = line.slice(at + dataField.length, -'}}'.length);
  const outline = typeof row.outline_digest === 'string' ? row.outline_digest : null;
  return digestOf(headOf(row), createHash('sha256').update(data).digest(), outline);
}

const dataField = ',"data":';

/** @param outline the digest of the outline of packed data. */
function digestOf(head: string, data: Buffer, outline: string | null): Buffer {
  const hash = createHash('sha256').update(head).update(data);
  if (outline !== null) hash.update(Buffer.from(outline, 'hex'));
  return hash.digest();
}
