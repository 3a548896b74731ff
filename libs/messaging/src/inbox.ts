import type { DataSource } from 'typeorm';
import { CurtailError } from '#contracts';
import { inboundTopics } from '#contracts/events';
import { type Cursor, eventById, failsUnless, isUnmet, type StoredEvent, type Tx } from '#event-store';
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
 * @returns the ids that were not marked before: only their effects may be written.
 * @throws EventNotInLog; the transaction must be rolled back then.
 */
export async function markHandled(
  tx: Tx,
  consumer: string,
  events: readonly EventPlace[],
): Promise<Set<string>> {
  const fromOutside = events.filter(({ topic }) => inbound.has(topic));
  const fromLog = events.filter(({ topic }) => !inbound.has(topic));
  const marked = await Promise.all([
    fromOutside.length > 0 ? markOutsiders(tx, consumer, fromOutside) : [],
    fromLog.length > 0 ? markLogged(tx, consumer, fromLog) : [],
  ]);
  return new Set(marked.flat());
}

/** Events of platform services are not in the log: only their ids are known. */
async function markOutsiders(tx: Tx, consumer: string, events: readonly EventPlace[]): Promise<string[]> {
  const rows = await tx.query<{ event_id: string }[]>(
    `INSERT INTO inbox (consumer, event_id) SELECT $1, unnest($2::uuid[])
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [consumer, events.map(({ id }) => id)],
  );
  return rows.map((row) => row.event_id);
}

/** Not all of the events are in the log and were not handled before. */
export class NotAllFresh extends CurtailError {
  readonly code = 'not-all-fresh';
}

/**
 * Marks events of the log as `markHandled` does, all of them or none: the statement itself fails otherwise, so that a commit may be sent
 * along with it (`commitWithThese`).
 *
 * @throws NotAllFresh
 */
export async function markFresh(tx: Tx, consumer: string, events: readonly EventPlace[]): Promise<void> {
  await failsUnlessFresh(tx.query(MARK_FRESH, valuesOf(consumer, events)), consumer);
}

async function markLogged(tx: Tx, consumer: string, events: readonly EventPlace[]): Promise<string[]> {
  const rows = await tx.query<Marked[]>(MARK, valuesOf(consumer, events));
  return freshOf(rows[0]!, consumer, events);
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
  cursor: { from: Cursor; to: Cursor },
): Promise<number | undefined> {
  const rows = await tx.query<{ moved: boolean; there: boolean; fresh: number }[]>(
    MARK_AND_MOVE,
    valuesOfMove(consumer, events, cursor),
  );
  const { moved, there, fresh } = rows[0]!;
  if (!moved) return undefined;
  if (!there) throw new EventNotInLog(`event ${events.at(-1)!.id} for ${consumer} is not in the log`);
  return fresh;
}

/**
 * The same, all of it or nothing: the statement itself fails otherwise, as that of `markFresh`.
 *
 * @throws NotAllFresh if any of the events was handled before, the cursor is elsewhere, or the last event is not in the log.
 */
export async function markFreshAndMove(
  tx: Tx,
  consumer: string,
  events: readonly EventPlace[],
  cursor: { from: Cursor; to: Cursor },
): Promise<void> {
  await failsUnlessFresh(tx.query(MARK_FRESH_AND_MOVE, valuesOfMove(consumer, events, cursor)), consumer);
}

async function failsUnlessFresh(marking: Promise<unknown>, consumer: string): Promise<void> {
  try {
    await marking;
  } catch (error) {
    if (isUnmet(error)) throw new NotAllFresh(`some events for ${consumer} were handled before`);
    throw error;
  }
}

interface Marked {
  found: number;
  fresh: string[];
}

function freshOf({ found, fresh }: Marked, consumer: string, events: readonly EventPlace[]): string[] {
  if (found === events.length) return fresh;
  throw new EventNotInLog(
    `${events.length - found} of ${events.length} events for ${consumer} are not in the log`,
  );
}

/** $1 to $4 of `findAndMark`. */
const valuesOf = (consumer: string, events: readonly EventPlace[]) => [
  consumer,
  events.map(({ id }) => id),
  events.map(({ transactionId }) => transactionId),
  events.map(({ position }) => position),
];

/** $1 to $9 of `movedAndMarked`. */
function valuesOfMove(
  consumer: string,
  events: readonly EventPlace[],
  { from, to }: { from: Cursor; to: Cursor },
): unknown[] {
  const last = events.at(-1)!;
  return [
    ...[consumer, from.transactionId, from.position, to.transactionId, to.position],
    ...[events.map(({ id }) => id), last.id, last.transactionId, last.position],
  ];
}

// OFFSET 0 keeps it one read of the index for each event, whatever the statistics of the table were when it was planned.
const findAndMark = `
  found AS MATERIALIZED (
    SELECT claimed.id
    FROM unnest($2::uuid[], $3::xid8[], $4::bigint[]) AS claimed (id, transaction_id, position)
    CROSS JOIN LATERAL (
      SELECT FROM (${eventById('claimed.id')}) there
      WHERE there.transaction_id = claimed.transaction_id AND there.position = claimed.position
      OFFSET 0) e
  ), marked AS (
    INSERT INTO inbox (consumer, event_id) SELECT $1, id FROM found
    ON CONFLICT DO NOTHING RETURNING event_id
  )`;

const MARK = `
  WITH ${findAndMark}
  SELECT (SELECT count(*)::int FROM found) AS found,
         (SELECT coalesce(array_agg(event_id::text), '{}') FROM marked) AS fresh`;

const MARK_FRESH = `
  WITH ${findAndMark}
  SELECT ${failsUnless('count(*) = cardinality($2::uuid[])')} FROM marked`;

/** $2 and $3 the known place of the cursor, $4 and $5 the new one, $6 the ids, $7 to $9 the last event. */
const movedAndMarked = `
  moved AS (${moveFrom('$2', '$3', '$4', '$5')} RETURNING 1), marked AS (
    INSERT INTO inbox (consumer, event_id) SELECT $1, unnest($6::uuid[])
    ON CONFLICT DO NOTHING RETURNING 1
  )`;
const isLastThere = `EXISTS (SELECT FROM (${eventById('$7::uuid')}) e WHERE transaction_id = $8::xid8 AND position = $9::bigint)`;

const MARK_AND_MOVE = `
  WITH ${movedAndMarked}
  SELECT EXISTS (SELECT FROM moved) AS moved, ${isLastThere} AS there, (SELECT count(*)::int FROM marked) AS fresh`;

const MARK_FRESH_AND_MOVE = `
  WITH ${movedAndMarked}
  SELECT ${failsUnless(`EXISTS (SELECT FROM moved) AND ${isLastThere} AND (SELECT count(*) FROM marked) = cardinality($6::uuid[])`)}`;

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
