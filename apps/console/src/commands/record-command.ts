import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { appendNext, databaseTime, type NewEvent, type Tx } from '#event-store';

/** The stream that a command is recorded in. */
export interface CommandPlace {
  partition: string;
  stream: string;
  key: string;
  /** Streams of commands that must not change either until it is recorded. */
  alsoLocked?: readonly string[];
}

/**
 * Records a command together with its effect, in one transaction. Commands of one stream are serialized by a lock on the stream's
 * name, which the eviction gate shares (apps/executor/src/eviction-gate.ts).
 *
 * @param effect returns the event and the answer; no event where nothing changed. If it throws, nothing changes.
 */
export function recordCommand<T>(
  db: DataSource,
  { key, ...place }: CommandPlace,
  effect: (tx: Tx) => Promise<{ event: DomainEvent | undefined; answer: T }>,
): Promise<T> {
  return recordEvents(db, place, async (tx) => {
    const { event, answer } = await effect(tx);
    return { events: event ? [{ event, key }] : [], answer };
  });
}

/**
 * The same for a command that may be several events. They have the same time: with a later one, the second end of two stops would move
 * the clocks that the first has set.
 */
export function recordEvents<T>(
  db: DataSource,
  { partition, stream, alsoLocked = [] }: Omit<CommandPlace, 'key'>,
  effect: (tx: Tx) => Promise<{ events: Omit<NewEvent, 'at'>[]; answer: T }>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await lockCommands(tx, stream, ...alsoLocked);
    const { events, answer } = await effect(tx);
    if (events.length > 0) {
      const at = await databaseTime(tx);
      await appendNext(tx, { stream, partition, events: events.map((event) => ({ ...event, at })) });
    }
    return answer;
  });
}

/**
 * Until the end of the transaction no other command is recorded in the streams, and no eviction that they concern is requested. They are
 * taken in the order in which the eviction gate takes them, so that no two wait for each other.
 */
export async function lockCommands(tx: Tx, ...streams: string[]): Promise<void> {
  await tx.query(
    `SELECT count(pg_advisory_xact_lock(hashtextextended(stream, 0)))
     FROM (SELECT stream FROM unnest($1::text[]) AS s (stream) ORDER BY stream OFFSET 0) AS streams`,
    [streams],
  );
}
