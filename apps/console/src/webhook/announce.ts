import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { PartitionStatus } from '#contracts/api';
import type { Tx } from '#event-store';
import type { Webhook } from '#runtime';
import { clusterUnknown, waitsForApproval } from '../waiting/for-someone.js';
import {
  addApprovals,
  addMessages,
  addPartitions,
  approval,
  type Due,
  dropApprovals,
  dropOthers,
  runsOfMessages,
  takeConditions,
  tryLock,
  unknown,
} from './outbox.js';

/** The advisory lock under which one process compares what lasts with what it has announced. */
const lock = 730_152;

/**
 * Makes messages about events that need an operator for as long as they last: at once or after a minute, and again at each interval of reminders.
 * It compares with the present state, so it also reports what began while no process ran.
 *
 * @param clusters what is known of them.
 */
export async function announceByWebhook(
  db: DataSource,
  { types, reminderSeconds }: Pick<Webhook, 'types' | 'reminderSeconds'>,
  clusters: readonly PartitionStatus[],
): Promise<void> {
  await db.transaction(async (tx) => {
    const [held] = await tryLock(tx, lock);
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

async function keepApprovals(tx: Tx, isWanted: boolean): Promise<void> {
  await dropApprovals(tx, approval, isWanted);
  if (!isWanted) return;
  await addApprovals(tx, approval);
}

async function keepUnknown(tx: Tx, clusters: readonly PartitionStatus[]): Promise<void> {
  const partitions = clusters.map(({ partition }) => partition);
  await dropOthers(tx, unknown, partitions);
  await addPartitions(tx, unknown, partitions);
}

/** Those to announce now, the oldest first. */
async function takeDue(tx: Tx, reminderSeconds: number): Promise<Due[]> {
  const [rows] = await takeConditions(tx, reminderSeconds);
  return rows.sort((a, b) => a.since.getTime() - b.since.getTime());
}

async function aboutApprovals(tx: Tx, due: readonly Due[]) {
  if (due.length === 0) return [];
  const runs = await runsOfMessages(
    tx,
    due.map(({ subject }) => subject),
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
