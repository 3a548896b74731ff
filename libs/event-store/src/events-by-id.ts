import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import { eventById } from './event-by-id.js';
import { DATA, SCHEMA_VERSION, unpackData } from './packed-data.js';
import type { StoredEvent } from './stored-event.js';

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
