import type { DataSource } from 'typeorm';
import type { WebhookMessage, WebhookStatus } from '#contracts/api';
import { deleteOldest, type Tx } from '#event-store';
import { mostAttempts, retryDelay } from './retry-delay.js';

/** A message that a sender has taken. */
export interface TakenMessage {
  /** The same in all attempts. */
  id: string;
  type: string;
  body: string;
  /** This one included. */
  attempts: number;
  /** The time of this attempt, in seconds since 1970. */
  at: number;
}

/** Adds messages in the transaction that records what they are about. An id that is known already adds nothing. */
export async function addMessages(
  tx: Tx,
  messages: readonly { id: string; message: WebhookMessage }[],
): Promise<void> {
  if (messages.length === 0) return;
  await tx.query(
    `INSERT INTO webhook_messages (id, type, body, created_at, next_at)
     SELECT id, type, body, now(), now() FROM unnest($1::text[], $2::text[], $3::text[]) AS m (id, type, body)
     ON CONFLICT (id) DO NOTHING`,
    [
      messages.map(({ id }) => id),
      messages.map(({ message }) => message.type),
      messages.map(({ message }) => JSON.stringify(message)),
    ],
  );
}

/** Records a message that was delivered at once. */
export async function addDelivered(
  db: DataSource,
  { id, type, body }: { id: string; type: string; body: string },
): Promise<void> {
  await db.query(
    `INSERT INTO webhook_messages (id, type, body, state, attempts, created_at, ended_at)
     VALUES ($1, $2, $3, 'delivered', 1, now(), now())`,
    [id, type, body],
  );
}

/**
 * Takes messages that are due, the longest due first. Those that another process is taking are skipped.
 *
 * @param lateSeconds a message whose sender has recorded nothing by then is due again: its process has ended.
 */
export async function takeDue(tx: Tx, limit: number, lateSeconds: number): Promise<TakenMessage[]> {
  const [rows] = await tx.query<[TakenMessage[], number]>(
    `UPDATE webhook_messages m SET attempts = attempts + 1, next_at = now() + make_interval(secs => $2)
     FROM (SELECT id FROM webhook_messages WHERE state = 'pending' AND next_at <= now()
           ORDER BY next_at, id LIMIT $1 FOR UPDATE SKIP LOCKED) due
     WHERE m.id = due.id
     RETURNING m.id, m.type, m.body, m.attempts, floor(extract(epoch FROM now()))::float8 AS at`,
    [limit, lateSeconds],
  );
  return rows;
}

export async function noteDelivered(db: DataSource, { id }: TakenMessage): Promise<void> {
  await db.query(
    `UPDATE webhook_messages SET state = 'delivered', ended_at = now(), next_at = NULL, last_error = NULL
     WHERE id = $1 AND state <> 'delivered'`,
    [id],
  );
}

/**
 * Records a failed attempt, unless another process has taken the message since. The next one follows after `retryDelay`, a quarter
 * more or less, so that messages that failed together are not sent together.
 *
 * @param retryAfter by the receiver, in seconds; at the most as long as the longest delay.
 * @returns what becomes of it.
 */
export async function noteFailed(
  db: DataSource,
  { id, attempts }: TakenMessage,
  error: string,
  retryAfter = 0,
): Promise<'dead' | 'retried'> {
  if (attempts >= mostAttempts) {
    await db.query(
      `UPDATE webhook_messages SET state = 'dead', ended_at = now(), next_at = NULL, last_error = $3
       WHERE id = $1 AND attempts = $2 AND state = 'pending'`,
      [id, attempts, error],
    );
    return 'dead';
  }
  await db.query(
    `UPDATE webhook_messages SET last_error = $3,
       next_at = now() + make_interval(secs => greatest($4::float8 * (0.75 + random() / 2), least($5::float8, $6::float8)))
     WHERE id = $1 AND attempts = $2 AND state = 'pending'`,
    [id, attempts, error, retryDelay(attempts), retryAfter, retryDelay(mostAttempts)],
  );
  return 'retried';
}

/** Makes a message due again whose attempt was broken off because its sender stops. The attempt does not count. */
export async function noteBrokenOff(db: DataSource, { id, attempts }: TakenMessage): Promise<void> {
  await db.query(
    `UPDATE webhook_messages SET attempts = attempts - 1, next_at = now()
     WHERE id = $1 AND attempts = $2 AND state = 'pending'`,
    [id, attempts],
  );
}

/** Makes all messages that were given up due again, with the ids that they had and as many attempts as new ones. @returns their number. */
export async function resendDead(db: DataSource): Promise<number> {
  const [, count] = await db.query<[unknown, number]>(
    `UPDATE webhook_messages SET state = 'pending', attempts = 0, next_at = now(), ended_at = NULL WHERE state = 'dead'`,
  );
  return count;
}

/** A message with so many failed attempts is worth a look: some fifteen seconds have passed. */
const failingAttempts = 3;

/** How deliveries are doing. */
export async function webhookStatus(db: DataSource): Promise<WebhookStatus> {
  const [row] = await db.query<(Omit<WebhookStatus, 'lastDeliveredAt'> & { lastDeliveredAt: Date | null })[]>(
    `WITH delivered AS (SELECT max(ended_at) AS at FROM webhook_messages WHERE state = 'delivered'),
          open AS (SELECT * FROM webhook_messages WHERE state = 'pending'),
          dead AS (SELECT * FROM webhook_messages, delivered
                   WHERE state = 'dead' AND ended_at > coalesce(delivered.at, '-infinity'))
     SELECT (SELECT count(*)::int FROM open) AS pending,
            (SELECT count(*)::int FROM open WHERE last_error IS NOT NULL AND attempts >= ${failingAttempts}) AS failing,
            (SELECT count(*)::int FROM dead) AS dead, (SELECT at FROM delivered) AS "lastDeliveredAt",
            coalesce((SELECT last_error FROM open WHERE last_error IS NOT NULL ORDER BY attempts DESC LIMIT 1),
                     (SELECT last_error FROM dead ORDER BY ended_at DESC LIMIT 1)) AS "lastError"`,
  );
  return { ...row!, lastDeliveredAt: row!.lastDeliveredAt?.toISOString() ?? null };
}

/** Messages that are neither delivered nor dead, whether or not there is a webhook now. */
export async function countPending(db: DataSource): Promise<number> {
  const [row] = await db.query<{ count: number }[]>(
    "SELECT count(*)::int AS count FROM webhook_messages WHERE state = 'pending'",
  );
  return row!.count;
}

const keptDays = 30;

/** Deletes messages that were made more than 30 days ago. @returns the number of deleted rows; fewer than `limit` if none is left. */
export function trimMessages(db: DataSource, limit: number): Promise<number> {
  const isOver = 'created_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'webhook_messages', { key: ['created_at', 'id'], isOver, days: keptDays, limit });
}
