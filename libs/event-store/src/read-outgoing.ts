import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import { type Page, pageQuery, readWith } from './read.js';
import type { Cursor, StoredEvent } from './stored-event.js';

/** An outgoing event: its data are the exact text in the log; null if that is too long to be sent. */
export type Outgoing = Omit<StoredEvent, 'data'> & { data: string | null };
export type OutgoingPage = Omit<Page, 'events'> & { events: Outgoing[] };

/** As `readPage`, all topics; the data as the text in the log. */
export async function readOutgoing(
  tx: Tx | DataSource,
  cursor: Cursor,
  options: { limit: number; maxBytes?: number },
): Promise<OutgoingPage> {
  return (await readWith(outgoing, tx, cursor, options)) as OutgoingPage;
}

/** Stored (compressed) size. Larger data are fetched by their readers, and are not even unpacked here. */
const mostSentBytes = 4 * 1024 * 1024;

/** SQL: the data as they are sent. */
export const SENT_DATA = `CASE WHEN pg_column_size(data) <= ${mostSentBytes} THEN data::text END`;

const outgoing = pageQuery(SENT_DATA);
