import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import type { Cursor, StoredEvent } from './stored-event.js';

const columns = `transaction_id::text AS "transactionId", position::text, stream, version, id, type, topic, partition, key,
  time, data`;

/** The events of a stream in the order of their versions, from `afterVersion` on. */
export async function readStream(
  tx: Tx | DataSource,
  stream: string,
  options: { afterVersion?: number; limit?: number } = {},
): Promise<StoredEvent[]> {
  return tx.query(
    `SELECT ${columns} FROM events WHERE stream = $1 AND version > $2 ORDER BY version LIMIT $3`,
    [stream, options.afterVersion ?? 0, options.limit ?? 100_000],
  );
}

/** The last version of a stream, 0 if it has no events. */
export async function streamVersion(tx: Tx | DataSource, stream: string): Promise<number> {
  const rows: { version: number }[] = await tx.query(
    'SELECT coalesce(max(version), 0)::int AS version FROM events WHERE stream = $1',
    [stream],
  );
  return rows[0]?.version ?? 0;
}

export interface Page {
  events: StoredEvent[];
  /** Where to go on; equal to the cursor that was given if there was nothing. */
  next: Cursor;
  /** There are events that cannot be read yet, because an older transaction still runs. */
  heldBack: boolean;
}

/**
 * Reads on from a cursor in commit order. An event is shown only when every transaction older than its own has ended: what
 * commits late has a small transaction id and would otherwise be passed over for ever.
 *
 * @param topics what to show of the page; the cursor moves over everything else too. Absent: all.
 * @param limit rows looked at, at the most
 */
export async function readPage(
  tx: Tx | DataSource,
  cursor: Cursor,
  options: { topics?: readonly string[]; limit: number },
): Promise<Page> {
  const rows: (StoredEvent & { wanted: boolean })[] = await tx.query(
    `WITH page AS MATERIALIZED (
       SELECT * FROM events
       WHERE (transaction_id, position) > ($1::xid8, $2::bigint)
       ORDER BY transaction_id, position
       LIMIT $3 + 1
     )
     SELECT transaction_id::text AS "transactionId", position::text, stream, version, id, type, topic, partition, key, time,
            transaction_id < pg_snapshot_xmin(pg_current_snapshot()) AS settled,
            $4::text[] IS NULL OR topic = ANY ($4::text[]) AS wanted,
            CASE WHEN $4::text[] IS NULL OR topic = ANY ($4::text[]) THEN data END AS data
     FROM page ORDER BY page.transaction_id, page.position`,
    [cursor.transactionId, cursor.position, options.limit, options.topics ?? null],
  );
  const settled = (rows as (StoredEvent & { wanted: boolean; settled: boolean })[]).filter(
    (row) => row.settled,
  );
  const page = settled.slice(0, options.limit);
  const last = page.at(-1);
  return {
    events: page
      .filter((row) => row.wanted)
      .map(({ wanted: _wanted, settled: _settled, ...event }) => event as StoredEvent),
    next: last ? { transactionId: last.transactionId, position: last.position } : cursor,
    heldBack: settled.length < rows.length,
  };
}
