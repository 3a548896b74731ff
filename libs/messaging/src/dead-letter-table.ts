import { deleteOldest, type StoredEvent, type Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/** Where a message stood: `curtail.plans/3@1204`, topic, partition and offset. */
export type Origin = string | undefined;

/** An event, by its id, that was put aside for a consumer. */
export interface DeadLetter {
  consumer: string;
  event: string;
}

/**
 * Puts an event aside that a consumer cannot handle, with the reason; its neighbours go on.
 *
 * @returns whether it was not put aside before.
 */
export async function park(
  tx: Tx,
  consumer: string,
  event: Pick<StoredEvent, 'id' | 'topic' | 'key' | 'type' | 'source'>,
  why: { reason: string; field?: string },
  origin?: Origin,
): Promise<boolean> {
  const rows: unknown[] = await tx.query(
    `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason, field, source, origin)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING 1`,
    [
      consumer,
      event.id,
      event.topic,
      storable(event.key, longest.key),
      storable(event.type, longest.name),
      storable(why.reason, longest.reason),
      why.field === undefined ? null : storable(why.field, longest.name),
      event.source === undefined ? null : storable(event.source, longest.name),
      origin ?? null,
    ],
  );
  return rows.length > 0;
}

/** Whether an event was put aside for a consumer. */
export async function isParked(tx: Tx, consumer: string, id: string): Promise<boolean> {
  const rows: unknown[] = await tx.query('SELECT 1 FROM dead_letters WHERE consumer = $1 AND event_id = $2', [
    consumer,
    id,
  ]);
  return rows.length > 0;
}

/** Has letters tried again by processes of their consumers (`RetryLetters`). */
export async function askForRetries(tx: Tx, letters: readonly DeadLetter[], by: string): Promise<void> {
  await tx.query(
    `UPDATE dead_letters d SET retry_asked_at = clock_timestamp(), retry_by = $3
     FROM unnest($1::text[], $2::uuid[]) AS l (consumer, event) WHERE d.consumer = l.consumer AND d.event_id = l.event`,
    [letters.map(({ consumer }) => consumer), letters.map(({ event }) => event), by],
  );
}

/** Gives letters up: what they are about is never handled by their consumer. */
export async function discardLetters(tx: Tx, letters: readonly DeadLetter[]): Promise<void> {
  await tx.query(
    `DELETE FROM dead_letters d USING unnest($1::text[], $2::uuid[]) AS l (consumer, event)
     WHERE d.consumer = l.consumer AND d.event_id = l.event`,
    [letters.map(({ consumer }) => consumer), letters.map(({ event }) => event)],
  );
}

/** Takes a letter whose retry was asked for. @returns false if it is gone, or was put aside again. */
export async function takeLetter(tx: Tx, { consumer, event }: DeadLetter): Promise<boolean> {
  const [, taken]: [unknown, number] = await tx.query(
    'DELETE FROM dead_letters WHERE consumer = $1 AND event_id = $2 AND retry_asked_at IS NOT NULL',
    [consumer, event],
  );
  return taken === 1;
}

/** Notes on a letter, if it was put aside again, how often that has happened. */
export async function noteAttempts(tx: Tx, { consumer, event }: DeadLetter, attempts: number): Promise<void> {
  await tx.query('UPDATE dead_letters SET attempts = $3 WHERE consumer = $1 AND event_id = $2', [
    consumer,
    event,
    attempts,
  ]);
}

/** A letter whose event has left the log cannot be tried again. */
export async function dropRetry(db: DataSource, { consumer, event }: DeadLetter): Promise<void> {
  await db.query(
    `UPDATE dead_letters SET retry_asked_at = NULL, reason = 'the event is not in the log any more'
     WHERE consumer = $1 AND event_id = $2`,
    [consumer, event],
  );
}

/**
 * Deletes letters that were put aside so many days ago, the oldest first.
 *
 * @returns how many there were; a number below `limit` says that none is left.
 */
export function trimDeadLetters(db: DataSource, days: number, limit: number): Promise<number> {
  const isOver = 'parked_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'dead_letters', {
    key: ['parked_at', 'consumer', 'event_id'],
    ...{ isOver, days, limit },
  });
}

const longest = { key: 2000, name: 500, reason: 2000 };

/** Outsiders send any bytes. Bytes that the database refuses must not keep an event from being put aside. */
function storable(text: string, length: number): string {
  return text.slice(0, length).replaceAll('\0', '\ufffd');
}
