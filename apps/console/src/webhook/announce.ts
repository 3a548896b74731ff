import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { waitingForApproval } from '#contracts';
import type { PartitionStatus } from '#contracts/api';
import type { Tx } from '#event-store';
import type { Webhook } from '#runtime';
import { clusterUnknown, waitsForApproval } from '../waiting/for-someone.js';
import { addMessages } from './outbox.js';

/** The advisory lock under which one process compares what lasts with what it has announced. */
const lock = 730_152;
/** Messages of one pass: the next one makes the others. */
const mostAtOnce = 100;
/** A cluster that is unknown for a shorter time is not reported: reports in transit, a process that is replaced. */
const clusterAfterSeconds = 60;

const approval = 'run.waits-for-approval';
const unknown = 'cluster.unknown';

interface Due {
  type: typeof approval | typeof unknown;
  partition: string;
  subject: string;
  since: Date;
  announcements: number;
}

/**
 * Makes messages about events that need an operator for as long as they last: at once or after a minute, and again at each interval of reminders.
 * It compares with the present state, so it also reports what began while no process ran.
 *
 * @param clusters what is known of them.
 */
export async function announce(
  db: DataSource,
  { types, reminderSeconds }: Pick<Webhook, 'types' | 'reminderSeconds'>,
  clusters: readonly PartitionStatus[],
): Promise<void> {
  await db.transaction(async (tx) => {
    const [held] = await tx.query<{ held: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS held', [
      lock,
    ]);
    if (!held!.held) return;
    await keepApprovals(tx, types.has(approval));
    await keepUnknown(tx, types.has(unknown) ? clusters.filter(({ known }) => !known) : []);
    const due = await takeDue(tx, reminderSeconds);
    const messages = [
      ...(await aboutApprovals(tx, ofType(due, approval))),
      ...aboutClusters(ofType(due, unknown), clusters),
    ];
    await addMessages(
      tx,
      messages.map((message) => ({ id: `msg_${randomUUID()}`, message })),
    );
  });
}

const ofType = (all: readonly Due[], type: Due['type']) => all.filter((one) => one.type === type);

const waits = `outcome IS NULL AND state = '${waitingForApproval}'`;

async function keepApprovals(tx: Tx, isWanted: boolean): Promise<void> {
  await tx.query(
    `DELETE FROM webhook_conditions c WHERE type = $1
     AND NOT ($2 AND EXISTS (SELECT FROM read_runs WHERE enforcement = c.subject AND ${waits}))`,
    [approval, isWanted],
  );
  if (!isWanted) return;
  await tx.query(
    `INSERT INTO webhook_conditions (type, partition, subject, since)
     SELECT $1, partition, enforcement, updated_at FROM read_runs r WHERE ${waits}
     AND NOT EXISTS (SELECT FROM webhook_conditions WHERE (type, partition, subject) = ($1, r.partition, r.enforcement))
     ORDER BY updated_at LIMIT ${mostAtOnce}`,
    [approval],
  );
}

async function keepUnknown(tx: Tx, clusters: readonly PartitionStatus[]): Promise<void> {
  const partitions = clusters.map(({ partition }) => partition);
  await tx.query('DELETE FROM webhook_conditions WHERE type = $1 AND partition <> ALL ($2)', [
    unknown,
    partitions,
  ]);
  await tx.query(
    `INSERT INTO webhook_conditions (type, partition, subject, since) SELECT $1, partition, '', now() FROM unnest($2::text[]) AS p (partition)
     ON CONFLICT DO NOTHING`,
    [unknown, partitions],
  );
}

/** Those to announce now, the oldest first. */
async function takeDue(tx: Tx, reminderSeconds: number): Promise<Due[]> {
  const [rows] = await tx.query<[Due[], number]>(
    `UPDATE webhook_conditions c SET announced_at = now(), announcements = c.announcements + 1
     FROM (SELECT type, partition, subject FROM webhook_conditions
           WHERE announced_at <= now() - make_interval(secs => $1) OR announced_at IS NULL
             AND (type <> '${unknown}' OR since <= now() - make_interval(secs => ${clusterAfterSeconds}))
           ORDER BY coalesce(announced_at, since), type, partition, subject LIMIT ${mostAtOnce}) due
     WHERE (c.type, c.partition, c.subject) = (due.type, due.partition, due.subject)
     RETURNING c.type, c.partition, c.subject, c.since, c.announcements`,
    [reminderSeconds],
  );
  return rows.sort((a, b) => a.since.getTime() - b.since.getTime());
}

async function aboutApprovals(tx: Tx, due: readonly Due[]) {
  if (due.length === 0) return [];
  const runs = await tx.query<{ enforcement: string; queue: string; policy: string; victims: number }[]>(
    'SELECT enforcement, queue, policy, victims FROM read_runs WHERE enforcement = ANY ($1)',
    [due.map(({ subject }) => subject)],
  );
  const byId = new Map(runs.map((run) => [run.enforcement, run]));
  return due.flatMap(({ partition, subject, since, announcements }) => {
    const run = byId.get(subject);
    if (!run) return [];
    const data = { partition, ...run, reminder: announcements - 1, ...waitsForApproval(run) };
    return [{ type: approval, timestamp: since.toISOString(), data } as const];
  });
}

function aboutClusters(due: readonly Due[], clusters: readonly PartitionStatus[]) {
  const byName = new Map(clusters.map((cluster) => [cluster.partition, cluster]));
  return due.flatMap(({ partition, since, announcements }) => {
    const cluster = byName.get(partition);
    return (cluster ? clusterUnknown(cluster) : []).map((why) => {
      const data = { partition, reminder: announcements - 1, ...why };
      return { type: unknown, timestamp: since.toISOString(), data } as const;
    });
  });
}
