import type { DataSource } from 'typeorm';
import { CurtailError } from '#contracts';
import { inboundTopics } from '#contracts/events';
import { type Cursor, eventById, STORED_SIZE, type StoredEvent, type Tx } from '#event-store';
import { type Consumer, unwantedTypes } from './consumer.js';
import { moveFrom } from './cursor-table.js';

/** Identifies an event: its id, and its place in the log. */
export type EventPlace = Pick<StoredEvent, 'id' | 'topic' | 'transactionId' | 'position'>;

/** An event of a topic of the log is not in the log, or not at its claimed place. */
export class EventNotInLog extends CurtailError {
  readonly code = 'event-not-in-log';
}

const inbound = new Set<string>(Object.values(inboundTopics));

/**
 * Marks events as handled by a consumer, inside the transaction of their effects. The statement that marks an event of
 * the log finds it there by id and place: nothing else is marked, so nothing else takes effect.
 *
 * @returns how many were not marked before: only their effects may be written.
 * @throws EventNotInLog; the transaction must be rolled back then.
 */
export async function markHandled(tx: Tx, consumer: string, events: readonly EventPlace[]): Promise<number> {
  const fromOutside = events.filter(({ topic }) => inbound.has(topic));
  const fromLog = events.filter(({ topic }) => !inbound.has(topic));
  const marked = await Promise.all([
    fromOutside.length > 0 ? markOutsiders(tx, consumer, fromOutside) : 0,
    fromLog.length > 0 ? markLogged(tx, consumer, fromLog) : 0,
  ]);
  return marked[0] + marked[1];
}

/** Events of platform services are not in the log: only their ids are known. */
async function markOutsiders(tx: Tx, consumer: string, events: readonly EventPlace[]): Promise<number> {
  const [{ fresh }] = await tx.query<[{ fresh: number }]>(
    `WITH marked AS (
       INSERT INTO inbox (consumer, event_id) SELECT $1, unnest($2::uuid[])
       ON CONFLICT DO NOTHING RETURNING 1
     )
     SELECT count(*)::int AS fresh FROM marked`,
    [consumer, events.map(({ id }) => id)],
  );
  return fresh;
}

async function markLogged(tx: Tx, consumer: string, events: readonly EventPlace[]): Promise<number> {
  const [{ found, fresh }] = await tx.query<[{ found: number; fresh: number }]>(MARK, [
    consumer,
    events.map(({ id }) => id),
    events.map(({ transactionId }) => transactionId),
    events.map(({ position }) => position),
  ]);
  if (found === events.length) return fresh;
  throw new EventNotInLog(
    `${events.length - found} of ${events.length} events for ${consumer} are not in the log`,
  );
}

/**
 * Marks events that were read from the log as handled, and moves the cursor of the consumer from its known place, with one
 * statement. The row of the cursor is locked first. Only the last event is looked up, because a log that was restored to an earlier
 * state has lost its newest events.
 *
 * @param events in the order of the log.
 * @returns the number of events that were not marked before; undefined if the cursor is elsewhere: another process has
 * moved it, and the transaction must be rolled back.
 * @throws EventNotInLog; the transaction must be rolled back then.
 */
export async function markAndMove(
  tx: Tx,
  consumer: string,
  events: readonly EventPlace[],
  { from, to }: { from: Cursor; to: Cursor },
): Promise<number | undefined> {
  const last = events.at(-1)!;
  const [{ moved, there, fresh }] = await tx.query<[{ moved: boolean; there: boolean; fresh: number }]>(
    MARK_AND_MOVE,
    [
      consumer,
      from.transactionId,
      from.position,
      to.transactionId,
      to.position,
      events.map(({ id }) => id),
      last.id,
      last.transactionId,
      last.position,
    ],
  );
  if (!moved) return undefined;
  if (!there) throw new EventNotInLog(`event ${last.id} for ${consumer} is not in the log`);
  return fresh;
}

/** $2 to $4 the events. OFFSET 0 keeps it one read of the index for each, whatever the statistics were when it was planned. */
const MARK = `
  WITH found AS MATERIALIZED (
    SELECT claimed.id
    FROM unnest($2::uuid[], $3::xid8[], $4::bigint[]) AS claimed (id, transaction_id, position)
    CROSS JOIN LATERAL (
      SELECT FROM (${eventById('claimed.id')}) there
      WHERE there.transaction_id = claimed.transaction_id AND there.position = claimed.position
      OFFSET 0) e
  ), marked AS (
    INSERT INTO inbox (consumer, event_id) SELECT $1, id FROM found
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM found) AS found, (SELECT count(*)::int FROM marked) AS fresh`;

/** $2 and $3 the known place of the cursor, $4 and $5 the new one, $6 the ids, $7 to $9 the last event. */
const MARK_AND_MOVE = `
  WITH moved AS (${moveFrom('$2', '$3', '$4', '$5')} RETURNING 1), marked AS (
    INSERT INTO inbox (consumer, event_id) SELECT $1, unnest($6::uuid[])
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT EXISTS (SELECT FROM moved) AS moved,
         EXISTS (SELECT FROM (${eventById('$7::uuid')}) e WHERE transaction_id = $8::xid8 AND position = $9::bigint) AS there,
         (SELECT count(*)::int FROM marked) AS fresh`;

/** @returns the ids of those events that a consumer has handled. */
export async function handledOf(
  db: Tx,
  consumer: string,
  events: readonly Pick<EventPlace, 'id'>[],
): Promise<Set<string>> {
  const rows = await db.query<{ event_id: string }[]>(
    'SELECT event_id FROM inbox WHERE consumer = $1 AND event_id = ANY ($2::uuid[])',
    [consumer, events.map(({ id }) => id)],
  );
  return new Set(rows.map((row) => row.event_id));
}

export async function isHandled(db: Tx, consumer: string, event: Pick<EventPlace, 'id'>): Promise<boolean> {
  return (await handledOf(db, consumer, [event])).has(event.id);
}

/**
 * Deletes marks that are older than any redelivery can be, the oldest first. Marks of events after the place up to
 * which their consumer has handled the log are kept: from there on only the marks show which events are handled.
 *
 * @returns the number of deleted marks; fewer than `limit` if none is left. Call it again until then.
 */
export async function trimInbox(db: Tx | DataSource, olderThanDays: number, limit = 5000): Promise<number> {
  const [, trimmed] = await db.query<[unknown, number]>(
    `DELETE FROM inbox WHERE (consumer, event_id) IN (
       SELECT consumer, event_id FROM inbox
       WHERE handled_at < now() - make_interval(days => $1)
         AND NOT EXISTS (
           SELECT FROM (${eventById('inbox.event_id')}) e JOIN subscriptions s ON s.name = inbox.consumer
           WHERE (e.transaction_id, e.position) > (s.transaction_id, s.position))
       ORDER BY handled_at LIMIT $2
       FOR UPDATE SKIP LOCKED)`,
    [olderThanDays, limit],
  );
  return trimmed;
}

/** An event for a consumer that it has not handled. */
export interface UnhandledEvent extends Cursor {
  id: string;
  topic: string;
  time: Date;
  /** The compressed size of its data. */
  bytes: number;
}

/** As readPage, it stops below the oldest running transaction; and at the first unhandled event. */
const HANDLED_UP_TO = `
  WITH page AS MATERIALIZED (
    SELECT transaction_id, position, topic = ANY ($2::text[]) AND type <> ALL ($6::text[]) AS wanted, id
    FROM events
    WHERE (transaction_id, position) > ($3::xid8, $4::bigint)
      AND transaction_id < (SELECT log_settled())
    ORDER BY transaction_id, position
    LIMIT $5
  ), unhandled AS (
    SELECT transaction_id, position
    FROM page
    WHERE wanted
      AND NOT EXISTS (SELECT FROM inbox WHERE consumer = $1 AND event_id = page.id)
    ORDER BY transaction_id, position
    LIMIT 1
  )
  SELECT transaction_id::text AS "transactionId", position::text, (count(*) OVER ())::int AS checked
  FROM page
  WHERE NOT EXISTS (
    SELECT FROM unhandled u WHERE (u.transaction_id, u.position) <= (page.transaction_id, page.position))
  ORDER BY page.transaction_id DESC, page.position DESC
  LIMIT 1`;

const UNHANDLED = `
  SELECT transaction_id::text AS "transactionId", position::text, id, topic, time, ${STORED_SIZE} AS bytes
  FROM events e
  WHERE (transaction_id, position) > ($3::xid8, $4::bigint) AND (transaction_id, position) <= ($7::xid8, $8::bigint)
    AND transaction_id < (SELECT log_settled())
    AND topic = ANY ($2::text[]) AND type <> ALL ($6::text[])
    AND NOT EXISTS (SELECT FROM inbox WHERE consumer = $1 AND event_id = e.id)
  ORDER BY e.transaction_id, e.position
  LIMIT $5`;

const AGE_OF_FIRST = `
  SELECT extract(epoch FROM clock_timestamp() - time)::float8 AS age
  FROM events e
  WHERE (transaction_id, position) > ($3::xid8, $4::bigint)
    AND topic = ANY ($2::text[]) AND type <> ALL ($5::text[])
    AND NOT EXISTS (SELECT FROM inbox WHERE consumer = $1 AND event_id = e.id)
  ORDER BY e.transaction_id, e.position
  LIMIT 1`;

/** A consumer, as far as it decides which events it has to handle. */
type Wanting = Pick<Consumer, 'name' | 'events'> & { topics: readonly string[] };

/** The last event after a place up to which a consumer has handled all, and how many were checked; undefined: not even the first. */
export async function handledUpTo(
  db: DataSource,
  consumer: Wanting,
  after: Cursor,
  limit: number,
): Promise<(Cursor & { checked: number }) | undefined> {
  const { name, topics } = consumer;
  const parameters = [name, topics, after.transactionId, after.position, limit, [...unwantedTypes(consumer)]];
  const [to] = await db.query<(Cursor & { checked: number })[]>(HANDLED_UP_TO, parameters);
  return to;
}

/** Events after one place and up to another that a consumer has not handled, in the order of the log, without their data. */
export function unhandledEvents(
  db: DataSource,
  consumer: Wanting,
  { after, upTo }: { after: Cursor; upTo: Cursor },
  limit: number,
): Promise<UnhandledEvent[]> {
  const { name, topics } = consumer;
  return db.query(UNHANDLED, [
    ...[name, topics, after.transactionId, after.position, limit, [...unwantedTypes(consumer)]],
    ...[upTo.transactionId, upTo.position],
  ]);
}

/** The age in seconds of the first event after a place that a consumer has not handled; undefined: there is none. */
export async function ageOfFirstUnhandled(
  db: DataSource,
  consumer: Wanting,
  after: Cursor,
): Promise<number | undefined> {
  const { name, topics } = consumer;
  const parameters = [name, topics, after.transactionId, after.position, [...unwantedTypes(consumer)]];
  const [first] = await db.query<{ age: number }[]>(AGE_OF_FIRST, parameters);
  return first?.age;
}
