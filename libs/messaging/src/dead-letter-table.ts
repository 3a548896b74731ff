import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import { deleteOldest, type StoredEvent, type Tx } from '#event-store';

/** The place of a message: `curtail.plans/3@1204`, topic, partition and offset. */
export type LetterOrigin = string | undefined;

/** A dead letter: the id of an event that a consumer could not handle. */
export interface LetterKey {
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
  { origin, retryInMs }: { origin?: LetterOrigin; retryInMs?: number | undefined } = {},
): Promise<boolean> {
  const { raw } = await tx
    .createQueryBuilder()
    .insert()
    .into(DeadLetter)
    .values({
      consumer,
      eventId: event.id,
      topic: event.topic,
      key: storable(event.key, longest.key),
      type: storable(event.type, longest.name),
      reason: storable(why.reason, longest.reason),
      field: why.field === undefined ? null : storable(why.field, longest.name),
      source: event.source === undefined ? null : storable(event.source, longest.name),
      origin: origin ?? null,
      retryAt:
        retryInMs === undefined
          ? null
          : () => `clock_timestamp() + make_interval(secs => ${retryInMs / 1000})`,
    })
    .orIgnore()
    .returning('consumer')
    .updateEntity(false)
    .execute();
  return raw.length > 0;
}

/** Whether an event is a dead letter of a consumer. */
export function isParked(tx: Tx, consumer: string, id: string): Promise<boolean> {
  return tx.existsBy(DeadLetter, { consumer, eventId: id });
}

/** Requests retries of letters by processes of their consumers (`RetryLetters`). */
export async function askForRetries(tx: Tx, letters: readonly LetterKey[], by: string): Promise<void> {
  await tx
    .createQueryBuilder()
    .update(DeadLetter)
    .set({ retryAskedAt: () => 'clock_timestamp()', retryBy: by })
    .where(areAmong, columnsOf(letters))
    .execute();
}

/** Discards letters: their events are never handled by their consumer. */
export async function discardLetters(tx: Tx, letters: readonly LetterKey[]): Promise<void> {
  await tx.createQueryBuilder().delete().from(DeadLetter).where(areAmong, columnsOf(letters)).execute();
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
export async function takeLetter(tx: Tx, { consumer, event }: LetterKey): Promise<TakenLetter | undefined> {
  const { raw } = await tx
    .createQueryBuilder()
    .delete()
    .from(DeadLetter)
    .where({ consumer, eventId: event })
    .andWhere('(retry_asked_at IS NOT NULL OR retry_at <= clock_timestamp())')
    .returning('parked_at AS "parkedAt"')
    .execute();
  return raw[0];
}

/** Records the number of attempts of a letter that failed again, and when it became one: it is kept no longer because of attempts. */
export async function noteAttempts(
  tx: Tx,
  { consumer, event }: LetterKey,
  { attempts, parkedAt }: { attempts: number; parkedAt: Date },
): Promise<void> {
  await tx.update(DeadLetter, { consumer, eventId: event }, { attempts, parkedAt });
}

/** A letter whose event has left the log cannot be tried again. */
export async function dropRetry(db: DataSource, { consumer, event }: LetterKey): Promise<void> {
  const over = { retryAskedAt: null, retryAt: null, reason: 'the event is not in the log any more' };
  await db.manager.update(DeadLetter, { consumer, eventId: event }, over);
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
export interface LetterRow extends LetterKey {
  attempts: number;
  origin: string | null;
  /** An operator requested the retry. */
  isAsked: boolean;
}

/** The letters of consumers whose retry was requested, or whose time for one has come; the first requested ones first. */
export async function lettersToRetry(
  db: DataSource,
  consumers: readonly string[],
  limit: number,
): Promise<LetterRow[]> {
  const letters = await db
    .createQueryBuilder(DeadLetter, 'letter')
    .where('letter.consumer = ANY (:consumers)', { consumers })
    .andWhere('(letter.retry_asked_at IS NOT NULL OR letter.retry_at <= clock_timestamp())')
    .orderBy({ 'letter.retryAskedAt': 'ASC', 'letter.retryAt': 'ASC', 'letter.parkedAt': 'ASC' })
    .limit(limit)
    .getMany();
  return letters.map(({ consumer, eventId, attempts, origin, retryAskedAt }) => {
    return { consumer, event: eventId, attempts, origin, isAsked: retryAskedAt !== null };
  });
}

/** How many letters consumers have; those without any are missing. */
export async function countLetters(
  db: DataSource,
  consumers: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .createQueryBuilder(DeadLetter, 'letter')
    .select('letter.consumer', 'consumer')
    .addSelect('count(*)::int', 'letters')
    .where('letter.consumer = ANY (:consumers)', { consumers })
    .groupBy('letter.consumer')
    .getRawMany<{ consumer: string; letters: number }>();
  return new Map(rows.map(({ consumer, letters }) => [consumer, letters]));
}

const areAmong = '(consumer, event_id) IN (SELECT * FROM unnest(:consumers::text[], :events::uuid[]))';

const columnsOf = (letters: readonly LetterKey[]) => ({
  consumers: letters.map(({ consumer }) => consumer),
  events: letters.map(({ event }) => event),
});

/** An event that a consumer could not handle, put aside. */
@Entity('dead_letters')
class DeadLetter {
  @PrimaryColumn('text') consumer: string;
  @PrimaryColumn('uuid') eventId: string;
  @Column('text') topic: string;
  @Column('text') key: string;
  @Column('text') type: string;
  @Column('text') reason: string;
  @Column('timestamptz', { default: () => 'now()' }) parkedAt: Date;
  @Column('text', { nullable: true }) field: string | null;
  /** Who sent it. */
  @Column('text', { nullable: true }) source: string | null;
  /** Where it stood. */
  @Column('text', { nullable: true }) origin: string | null;
  /** How often it was put aside. */
  @Column('integer', { default: 1 }) attempts: number;
  /** When another try was requested. */
  @Column('timestamptz', { nullable: true }) retryAskedAt: Date | null;
  @Column('text', { nullable: true }) retryBy: string | null;
  /** When it is handled again from the log without a request. Null: never, as for messages from outside, and for events during which processes ended. */
  @Column('timestamptz', { nullable: true }) retryAt: Date | null;
}
