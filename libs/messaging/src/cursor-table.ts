import type { DataSource } from 'typeorm';
import { beginning, type Cursor, type Tx } from '#event-store';

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
