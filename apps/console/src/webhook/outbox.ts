import { type DataSource, Not } from 'typeorm';
import { pauseAfter, waitingForApproval } from '#contracts';
import type { WebhookMessage, WebhookStatus } from '#contracts/api';
import { deleteOldest, type Tx } from '#event-store';
import { QueuedMessage, WebhookCondition } from '../entities/index.js';

/** A message that a sender has taken, with this attempt counted. */
export interface TakenMessage extends Pick<QueuedMessage, 'id' | 'type' | 'body' | 'attempts'> {
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

const ended = { endedAt: () => 'now()', nextAt: null };

/** Records a message that was delivered at once. */
export async function addDelivered(
  db: DataSource,
  { id, type, body }: { id: string; type: string; body: string },
): Promise<void> {
  const now = () => 'now()';
  await db
    .getRepository(QueuedMessage)
    .insert({ id, type, body, state: 'delivered', attempts: 1, createdAt: now, endedAt: now });
}

/**
 * Takes messages that are due, the longest due first. Those that another process is taking are skipped.
 *
 * @param lateSeconds a message whose sender has recorded nothing by then is due again: its process has ended.
 */
export async function takeDueMessages(tx: Tx, limit: number, lateSeconds: number): Promise<TakenMessage[]> {
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
  await db
    .getRepository(QueuedMessage)
    .update({ id, state: Not('delivered') }, { state: 'delivered', ...ended, lastError: null });
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
    await db
      .getRepository(QueuedMessage)
      .update({ id, attempts, state: 'pending' }, { state: 'dead', ...ended, lastError: error });
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
  await db
    .getRepository(QueuedMessage)
    .update({ id, attempts, state: 'pending' }, { attempts: () => 'attempts - 1', nextAt: () => 'now()' });
}

/** Makes all messages that were given up due again, with the ids that they had and as many attempts as new ones. @returns their number. */
export async function resendDead(db: DataSource): Promise<number> {
  const { affected } = await db
    .getRepository(QueuedMessage)
    .update({ state: 'dead' }, { state: 'pending', attempts: 0, nextAt: () => 'now()', endedAt: null });
  return affected ?? 0;
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

/** Messages of one pass: the next one makes the others. */
const mostAtOnce = 100;

/** A cluster that is unknown for a shorter time is not reported: reports in transit, a process that is replaced. */
const clusterAfterSeconds = 60;

export const approval = 'run.waits-for-approval';

export const unknown = 'cluster.unknown';

export interface Due extends Pick<WebhookCondition, 'partition' | 'subject' | 'since' | 'announcements'> {
  type: typeof approval | typeof unknown;
}

const waits = `outcome IS NULL AND state = '${waitingForApproval}'`;

/** Takes a lock until the end of the transaction, unless another process has it. */
export const tryLock = (db: Tx | DataSource, key: number) =>
  db.query<{ held: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS held', [key]);

/** Runs that no longer wait for approval are no longer announced; without a wish for it, none is. */
export const dropApprovals = (db: Tx | DataSource, type: string, isWanted: boolean) =>
  db.query<unknown>(
    `DELETE FROM webhook_conditions c WHERE type = $1
     AND NOT ($2 AND EXISTS (SELECT FROM read_runs WHERE enforcement = c.subject AND ${waits}))`,
    [type, isWanted],
  );

/** Runs that have come to wait for approval. */
export const addApprovals = (db: Tx | DataSource, type: string) =>
  db.query<unknown>(
    `INSERT INTO webhook_conditions (type, partition, subject, since)
     SELECT $1, partition, enforcement, updated_at FROM read_runs r WHERE ${waits}
     AND NOT EXISTS (SELECT FROM webhook_conditions WHERE (type, partition, subject) = ($1, r.partition, r.enforcement))
     ORDER BY updated_at LIMIT ${mostAtOnce}`,
    [type],
  );

/** Partitions of which something is no longer true. */
export const dropOthers = (db: Tx | DataSource, type: string, partitions: readonly string[]) =>
  db.query<unknown>('DELETE FROM webhook_conditions WHERE type = $1 AND partition <> ALL ($2)', [
    type,
    partitions,
  ]);

/** Partitions of which something has come to be true. */
export const addPartitions = (db: Tx | DataSource, type: string, partitions: readonly string[]) =>
  db.query<unknown>(
    `INSERT INTO webhook_conditions (type, partition, subject, since) SELECT $1, partition, '', now() FROM unnest($2::text[]) AS p (partition)
     ON CONFLICT DO NOTHING`,
    [type, partitions],
  );

/** Notes that what is due is announced. */
export const takeConditions = (db: Tx | DataSource, reminderSeconds: number) =>
  db.query<[Due[], number]>(
    `UPDATE webhook_conditions c SET announced_at = now(), announcements = c.announcements + 1
     FROM (SELECT type, partition, subject FROM webhook_conditions
           WHERE announced_at <= now() - make_interval(secs => $1) OR announced_at IS NULL
             AND (type <> '${unknown}' OR since <= now() - make_interval(secs => ${clusterAfterSeconds}))
           ORDER BY coalesce(announced_at, since), type, partition, subject LIMIT ${mostAtOnce}) due
     WHERE (c.type, c.partition, c.subject) = (due.type, due.partition, due.subject)
     RETURNING c.type, c.partition, c.subject, c.since, c.announcements`,
    [reminderSeconds],
  );

/** The runs that messages are about. */
export const runsOfMessages = (db: Tx | DataSource, enforcements: readonly string[]) =>
  db.query<{ enforcement: string; queue: string; policy: string; victims: number }[]>(
    'SELECT enforcement, queue, policy, victims FROM read_runs WHERE enforcement = ANY ($1)',
    [enforcements],
  );

/** Attempts before a message is given up: the delays between them sum up to some 17 hours. */
export const mostAttempts = 15;

const seconds = { first: 5, longest: 6 * 3600 };

/** Seconds until the next attempt, after so many have failed: 5 s, doubled each time up to 6 hours. */
export const retryDelay = (failed: number): number => pauseAfter(failed, seconds);
