import type { DataSource } from 'typeorm';
import { type Page, pageQuery, readWith } from './read.js';
import { beginning, type Cursor } from './stored-event.js';

/** As `readPage`, all topics, with null instead of the data, which are not unpacked. */
export async function readWithoutData(db: DataSource, cursor: Cursor, limit: number): Promise<Page> {
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
