import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import { DATA_TEXT, STORED_SIZE, unpackTexts } from './packed-data.js';
import { type EventPage, pageQuery, readWith } from './read.js';
import type { Cursor, StoredEvent } from './stored-event.js';

/** An outgoing event: its data are the exact text in the log; null if that is too long to be sent. */
export type Outgoing = Omit<StoredEvent, 'data'> & { data: string | null };
export type OutgoingPage = Omit<EventPage, 'events'> & { events: Outgoing[] };

/** As `readPage`, all topics; the data as the text in the log. */
export async function readOutgoing(
  tx: Tx | DataSource,
  cursor: Cursor,
  options: { limit: number; maxBytes?: number },
): Promise<OutgoingPage> {
  const page = (await readWith(outgoing, tx, cursor, options)) as OutgoingPage;
  await unpackTexts(page.events);
  return page;
}

/** Stored (compressed) size. Larger data are fetched by their readers, and are not even unpacked here. */
const mostSentBytes = 4 * 1024 * 1024;

/** SQL: the data as they are sent. */
export const SENT_DATA = `CASE WHEN ${STORED_SIZE} <= ${mostSentBytes} THEN ${DATA_TEXT} END`;

const outgoing = pageQuery(SENT_DATA);
