import type { DataSource } from 'typeorm';
import { deleteOldest, type StoredEvent, type Tx } from '#event-store';

/** The place of a message: `curtail.plans/3@1204`, topic, partition and offset. */
export type Origin = string | undefined;

/** A dead letter: the id of an event that a consumer could not handle. */
export interface DeadLetter {
  consumer: string;
  event: string;
}

/**
 * Makes an event that a consumer cannot handle a dead letter, with the reason; its neighbours proceed.
 *
 * @param place.retryInMs when it is handled again from the log without a request; absent: never.
 * @returns whether it was not a dead letter before.
 */
export async function park(
  tx: Tx,
  consumer: string,
  event: Pick<StoredEvent, 'id' | 'topic' | 'key' | 'type' | 'source'>,
  why: { reason: string; field?: string },
  { origin, retryInMs }: { origin?: Origin; retryInMs?: number | undefined } = {},
): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason, field, source, origin, retry_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp() + make_interval(secs => $10))
     ON CONFLICT DO NOTHING RETURNING 1`,
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
      retryInMs === undefined ? null : retryInMs / 1000,
    ],
  );
  return rows.length > 0;
}

/** Whether an event is a dead letter of a consumer. */
export async function isParked(tx: Tx, consumer: string, id: string): Promise<boolean> {
  const rows = await tx.query<unknown[]>('SELECT 1 FROM dead_letters WHERE consumer = $1 AND event_id = $2', [
    consumer,
    id,
  ]);
  return rows.length > 0;
}

/** Requests retries of letters by processes of their consumers (`RetryLetters`). */
export async function askForRetries(tx: Tx, letters: readonly DeadLetter[], by: string): Promise<void> {
  await tx.query(
    `UPDATE dead_letters d SET retry_asked_at = clock_timestamp(), retry_by = $3
     FROM unnest($1::text[], $2::uuid[]) AS l (consumer, event) WHERE d.consumer = l.consumer AND d.event_id = l.event`,
    [letters.map(({ consumer }) => consumer), letters.map(({ event }) => event), by],
  );
}

/** Discards letters: their events are never handled by their consumer. */
export async function discardLetters(tx: Tx, letters: readonly DeadLetter[]): Promise<void> {
  await tx.query(
    `DELETE FROM dead_letters d USING unnest($1::text[], $2::uuid[]) AS l (consumer, event)
     WHERE d.consumer = l.consumer AND d.event_id = l.event`,
    [letters.map(({ consumer }) => consumer), letters.map(({ event }) => event)],
  );
}

/** The first attempt that takes a letter has this; what follows it keeps it. */
export interface TakenLetter {
  parkedAt: Date;
}

/**
 * Takes a letter whose retry was requested, or whose time for one has come.
 *
 * @returns undefined if it is gone, or failed again.
 */
export async function takeLetter(tx: Tx, { consumer, event }: DeadLetter): Promise<TakenLetter | undefined> {
  const [taken] = await tx.query<[TakenLetter[], number]>(
    `DELETE FROM dead_letters
     WHERE consumer = $1 AND event_id = $2 AND (retry_asked_at IS NOT NULL OR retry_at <= clock_timestamp())
     RETURNING parked_at AS "parkedAt"`,
    [consumer, event],
  );
  return taken[0];
}

/** Records the number of attempts of a letter that failed again, and when it became one: it is kept no longer because of attempts. */
export async function noteAttempts(
  tx: Tx,
  { consumer, event }: DeadLetter,
  { attempts, parkedAt }: { attempts: number; parkedAt: Date },
): Promise<void> {
  await tx.query(
    'UPDATE dead_letters SET attempts = $3, parked_at = $4 WHERE consumer = $1 AND event_id = $2',
    [consumer, event, attempts, parkedAt.toISOString()],
  );
}

/** A letter whose event has left the log cannot be tried again. */
export async function dropRetry(db: DataSource, { consumer, event }: DeadLetter): Promise<void> {
  await db.query(
    `UPDATE dead_letters SET retry_asked_at = NULL, retry_at = NULL, reason = 'the event is not in the log any more'
     WHERE consumer = $1 AND event_id = $2`,
    [consumer, event],
  );
}

/**
 * Deletes letters older than this many days, the oldest first.
 *
 * @returns the number of deleted letters; fewer than `limit` if none is left.
 */
export function trimDeadLetters(db: DataSource, days: number, limit: number): Promise<number> {
  const isOver = 'parked_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'dead_letters', {
    key: ['parked_at', 'consumer', 'event_id'],
    isOver,
    days,
    limit,
  });
}

const longest = { key: 2000, name: 500, reason: 2000 };

/** External senders may send any bytes. Bytes that the database rejects must not prevent a dead letter. */
function storable(text: string, length: number): string {
  return text.slice(0, length).replaceAll('\0', '\ufffd');
}

/** A letter that is to be handled again. */
export interface Letter extends DeadLetter {
  attempts: number;
  origin: string | null;
  /** An operator requested the retry. */
  isAsked: boolean;
}

/** The letters of consumers whose retry was requested, or whose time for one has come; the first requested ones first. */
export function lettersToRetry(
  db: DataSource,
  consumers: readonly string[],
  limit: number,
): Promise<Letter[]> {
  return db.query(
    `SELECT consumer, event_id AS event, attempts, origin, retry_asked_at IS NOT NULL AS "isAsked" FROM dead_letters
     WHERE consumer = ANY ($1) AND (retry_asked_at IS NOT NULL OR retry_at <= clock_timestamp())
     ORDER BY retry_asked_at, retry_at, parked_at LIMIT $2`,
    [consumers, limit],
  );
}

/** How many letters consumers have; those without any are missing. */
export async function countLetters(
  db: DataSource,
  consumers: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ consumer: string; letters: number }[]>(
    'SELECT consumer, count(*)::int AS letters FROM dead_letters WHERE consumer = ANY ($1) GROUP BY consumer',
    [consumers],
  );
  return new Map(rows.map(({ consumer, letters }) => [consumer, letters]));
}
