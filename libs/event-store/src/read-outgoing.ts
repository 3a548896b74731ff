import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import { type Page, pageQuery, readWith } from './read.js';
import type { Cursor, StoredEvent } from './stored-event.js';

/** An event on its way out: its data are the exact text that stands in the log; null where that is too long to be sent around. */
export type Outgoing = Omit<StoredEvent, 'data'> & { data: string | null };
export type OutgoingPage = Omit<Page, 'events'> & { events: Outgoing[] };

/** As `readPage`, all topics; the data as the text that stands in the log. */
export async function readOutgoing(
  tx: Tx | DataSource,
  cursor: Cursor,
  options: { limit: number; maxBytes?: number },
): Promise<OutgoingPage> {
  return (await readWith(outgoing, tx, cursor, options)) as OutgoingPage;
}

/** Stored (compressed) size. Larger data are fetched by their readers, and is not even unpacked here. */
const mostSentBytes = 4 * 1024 * 1024;

/** SQL: the data as they are sent. */
export const SENT_DATA = `CASE WHEN pg_column_size(data) <= ${mostSentBytes} THEN data::text END`;

const outgoing = pageQuery(SENT_DATA);
