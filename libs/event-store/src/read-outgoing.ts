import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import { type Page, pageQuery, readWith } from './read.js';
import type { Cursor, StoredEvent } from './stored-event.js';

/** An event on its way out: its data are the exact text that stands in the log. */
export type Outgoing = Omit<StoredEvent, 'data'> & { data: string };
export type OutgoingPage = Omit<Page, 'events'> & { events: Outgoing[] };

/** As `readPage`, all topics; the data as the text that stands in the log. */
export async function readOutgoing(
  tx: Tx | DataSource,
  cursor: Cursor,
  options: { limit: number; maxBytes?: number },
): Promise<OutgoingPage> {
  return (await readWith(outgoing, tx, cursor, options)) as OutgoingPage;
}

const outgoing = pageQuery('data::text');
