import { randomUUID } from 'node:crypto';
import { catalog, type DomainEvent } from '@curtail/contracts';
import { QueryFailedError } from 'typeorm';
import type { Tx } from './database.js';
import type { NewEvent } from './stored-event.js';
import { announce } from './wake.js';

/** Somebody else appended to the stream since it was read. Load it again and decide anew. */
export class StreamConflict extends Error {
  override readonly name = 'StreamConflict';
}

export interface StreamAppend {
  stream: string;
  partition: string;
  /** The version of the last event that the decision was made on; 0 for a new stream. */
  expectedVersion: number;
  events: NewEvent[];
}

/**
 * A wrong event must never be written: what is in the log stays there for ever. The data go in as they were given, since
 * the parsed copy would have its keys in another order.
 */
function checked(event: DomainEvent): unknown {
  catalog[event.name].schema.parse(event.data);
  return event.data;
}

/**
 * Appends to any number of streams in one statement, inside the caller's transaction. Versions count from 1 in each stream.
 *
 * @throws StreamConflict if a stream is not at its expected version; the transaction is lost then.
 */
export async function append(tx: Tx, appends: StreamAppend[]): Promise<void> {
  const columns: [string[], number[], string[], string[], string[], string[], string[], string[], string[]] =
    [[], [], [], [], [], [], [], [], []];
  for (const { stream, partition, expectedVersion, events } of appends) {
    for (const [index, { event, at, key }] of events.entries()) {
      const entry = catalog[event.name];
      const row = [
        stream,
        expectedVersion + index + 1,
        randomUUID(),
        entry.type,
        entry.topic,
        partition,
        key,
        at.toISOString(),
        JSON.stringify(checked(event)),
      ] as const;
      for (const [column, value] of row.entries()) (columns[column] as unknown[]).push(value);
    }
  }
  if (columns[0].length === 0) return;
  try {
    await tx.query(
      `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
       SELECT * FROM unnest($1::text[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
                            $8::timestamptz[], $9::json[])`,
      columns,
    );
  } catch (error) {
    if (error instanceof QueryFailedError && error.driverError.constraint === 'events_stream_version') {
      throw new StreamConflict(
        `${appends.map((a) => `${a.stream}@${a.expectedVersion}`).join(', ')} moved on`,
      );
    }
    throw error;
  }
  await announce(tx, new Set(columns[4]));
}
