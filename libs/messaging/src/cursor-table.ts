import type { DataSource } from 'typeorm';
import { beginning, type Cursor, isLeaseOver, leaseUntil, type Tx } from '#event-store';
import type { Consumer } from './consumer.js';
import type { ConsumerStatus } from './event-bus.js';

/*
 * A row of `subscriptions` is the cursor of a consumer: its progress in the log. The process that redelivers events
 * from the log to it is in the same row (`RedeliveryLease`).
 */

const columns = 'transaction_id::text AS "transactionId", position::text';

/** The cursor of a consumer; a new one is at the beginning. */
export async function loadCursor(db: DataSource, consumer: string): Promise<Cursor> {
  const read = () => db.query<Cursor[]>(`SELECT ${columns} FROM subscriptions WHERE name = $1`, [consumer]);
  const [known] = await read();
  if (known) return known;
  await addCursor(db, consumer);
  return (await read())[0]!;
}

/** The same; the consumer cannot move it before the end of the transaction. */
export async function lockCursor(tx: Tx, consumer: string): Promise<Cursor> {
  await addCursor(tx, consumer);
  const rows = await tx.query<Cursor[]>(`SELECT ${columns} FROM subscriptions WHERE name = $1 FOR UPDATE`, [
    consumer,
  ]);
  return rows[0]!;
}

async function addCursor(db: DataSource | Tx, consumer: string): Promise<void> {
  await db.query(
    `INSERT INTO subscriptions (name, transaction_id, position) VALUES ($1, $2::xid8, $3) ON CONFLICT DO NOTHING`,
    [consumer, beginning.transactionId, beginning.position],
  );
}

/** The statement of `moveCursor`; $1 is the consumer. */
export const moveFrom = (
  transactionId: string,
  position: string,
  toTransactionId: string,
  toPosition: string,
) => `
  UPDATE subscriptions SET transaction_id = ${toTransactionId}::xid8, position = ${toPosition}
  WHERE name = $1 AND transaction_id = ${transactionId}::xid8 AND position = ${position}`;

/** Moves a cursor from its known place. @returns false if it is elsewhere: another process has moved it. */
export async function moveCursor(tx: Tx, consumer: string, from: Cursor, to: Cursor): Promise<boolean> {
  const [, moved] = await tx.query<[unknown, number]>(moveFrom('$2', '$3', '$4', '$5'), [
    ...[consumer, from.transactionId, from.position, to.transactionId, to.position],
  ]);
  return moved === 1;
}

/** Moves a cursor up to a place, never back. @returns false if it is further. */
export async function advanceCursor(db: DataSource | Tx, consumer: string, to: Cursor): Promise<boolean> {
  const [, moved] = await db.query<[unknown, number]>(
    `UPDATE subscriptions SET transaction_id = $2::xid8, position = $3
     WHERE name = $1 AND (transaction_id, position) <= ($2::xid8, $3::bigint)`,
    [consumer, to.transactionId, to.position],
  );
  return moved === 1;
}

/** Takes or extends the right to redeliver events from the log to a consumer. @returns false while another process has it. */
export async function takeRedelivery(
  db: DataSource,
  consumer: string,
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<boolean> {
  const [, taken] = await db.query<[unknown, number]>(
    `UPDATE subscriptions
     SET redeliverer = $2, redeliverer_until = ${leaseUntil('$3')}
     WHERE name = $1 AND (redeliverer IS NOT DISTINCT FROM $2 OR ${isLeaseOver('redeliverer_until')})`,
    [consumer, owner, leaseMs],
  );
  return taken === 1;
}

/** Others may take it at once. */
export async function giveUpRedelivery(db: DataSource, consumer: string, owner: string): Promise<void> {
  await db.query('UPDATE subscriptions SET redeliverer_until = NULL WHERE name = $1 AND redeliverer = $2', [
    consumer,
    owner,
  ]);
}

/**
 * The progress of consumers that read the log: unhandled events, the age of the first of them, and dead letters.
 *
 * @param places up to where each has read; the stored cursor may be behind.
 */
export function statusOfPlaces(
  db: DataSource,
  places: readonly { consumer: Pick<Consumer, 'name' | 'topics'>; read: Cursor }[],
): Promise<ConsumerStatus[]> {
  return db.query(
    `SELECT c.name,
            (SELECT count(*)::int FROM (
               SELECT 1 FROM events e
               WHERE (e.transaction_id, e.position) > (coalesce(s.transaction_id, '0'::xid8), coalesce(s.position, 0))
                 AND (e.transaction_id, e.position) > (c.transaction_id, c.position)
                 AND e.topic = ANY (string_to_array(c.topics, ','))
               LIMIT 100000) waiting) AS lag,
            coalesce((
              SELECT greatest(0, extract(epoch FROM clock_timestamp() - e.time))::float8 FROM events e
              WHERE (e.transaction_id, e.position) > (coalesce(s.transaction_id, '0'::xid8), coalesce(s.position, 0))
                AND (e.transaction_id, e.position) > (c.transaction_id, c.position)
                AND e.topic = ANY (string_to_array(c.topics, ','))
              ORDER BY e.transaction_id, e.position LIMIT 1), 0) AS "ageSeconds",
            (SELECT count(*)::int FROM dead_letters d WHERE d.consumer = c.name) AS parked
     FROM unnest($1::text[], $2::text[], $3::xid8[], $4::bigint[]) AS c (name, topics, transaction_id, position)
     LEFT JOIN subscriptions s ON s.name = c.name`,
    [
      places.map(({ consumer }) => consumer.name),
      places.map(({ consumer }) => consumer.topics.join(',')),
      places.map(({ read }) => read.transactionId),
      places.map(({ read }) => read.position),
    ],
  );
}
