import type { DataSource, EntityManager } from 'typeorm';
import type { Resources } from '#contracts';
import type { ApplicationWork, QueueWork, WorkCounts } from '#contracts/api';
import type { Nomination } from '../driver.js';
import { inSubtree } from '../tables/statements.js';
import { checkQueuePath, isThere } from './place.js';

export async function countWork(
  dataSource: DataSource,
  partition: string,
  now: Date | null = null,
): Promise<WorkCounts> {
  const [counts] = await dataSource.query<WorkCounts[]>(
    `SELECT
       (SELECT count(*)::int FROM simulated_nodes WHERE partition = $1) AS nodes,
       applications.queues, applications.applications, allocations.allocations, allocations.leaving
     FROM (
       SELECT count(DISTINCT queue)::int AS queues, count(*)::int AS applications
       FROM simulated_applications WHERE partition = $1
     ) applications, (
       SELECT count(*)::int AS allocations, (count(*) FILTER (WHERE state <> 'running'))::int AS leaving
       FROM simulated_allocations WHERE partition = $1 AND ${isThere('$2')}
     ) allocations`,
    [partition, now],
  );
  return counts ?? { nodes: 0, queues: 0, applications: 0, allocations: 0, leaving: 0 };
}

/** Queues at and below `under` that have allocations of their own, by path. */
export async function workByQueue(
  dataSource: DataSource,
  partition: string,
  under = 'root',
  now: Date | null = null,
): Promise<QueueWork[]> {
  const rows = await dataSource.query<{ queue: string; allocations: number; type: string; amount: string }[]>(
    `WITH sizes AS (
       SELECT queue, resources, count(*) AS count FROM simulated_allocations
       WHERE partition = $1 AND ${inSubtree('queue', '$2::text')} AND ${isThere('$3')}
       GROUP BY 1, 2
     ), counts AS (SELECT queue, sum(count)::int AS allocations FROM sizes GROUP BY 1)
     SELECT queue, counts.allocations, amount.key AS type, sum(amount.value::numeric * sizes.count)::text AS amount
     FROM sizes JOIN counts USING (queue) CROSS JOIN LATERAL jsonb_each_text(sizes.resources) AS amount
     GROUP BY 1, 2, 3 ORDER BY queue COLLATE "C", type`,
    [partition, checkQueuePath('under', under), now],
  );
  const queues = new Map<string, QueueWork & { usage: Record<string, number> }>();
  for (const { queue, allocations, type, amount } of rows) {
    const work = queues.get(queue) ?? { queue, allocations, usage: {} };
    work.usage[type] = Math.min(Number(amount), Number.MAX_SAFE_INTEGER);
    queues.set(queue, work);
  }
  return [...queues.values()];
}

/** The first 1000 applications of a queue and below it, by queue, then id, with their running and pending work. */
export async function applicationsWithWork(
  db: DataSource,
  partition: string,
  under = 'root',
  now: Date | null = null,
): Promise<ApplicationWork[]> {
  return db.query(
    `SELECT app.id AS application, app.queue, app."user", app.priority, (app.properties ->> 'weight')::float8 AS weight,
            coalesce(work.running, 0) AS running, coalesce(work.leaving, 0) AS leaving,
            (SELECT coalesce(sum((ask ->> 'count')::int), 0)::int FROM jsonb_array_elements(app.pending) AS ask) AS waiting,
            coalesce(work.usage, '{}') AS usage
     FROM simulated_applications app
     LEFT JOIN LATERAL (
       SELECT sum(each.running)::int AS running, sum(each.leaving)::int AS leaving,
              (SELECT json_object_agg(type, amount) FROM (
                 SELECT amount.key AS type, sum(amount.value::numeric)::float8 AS amount
                 FROM simulated_allocations b CROSS JOIN LATERAL jsonb_each_text(b.resources) AS amount
                 WHERE b.partition = app.partition AND b.queue = app.queue AND b.application = app.id
                   AND ${isThere('$3', 'b')} GROUP BY 1) AS sums) AS usage
       FROM (SELECT count(*) FILTER (WHERE a.state = 'running') AS running,
                    count(*) FILTER (WHERE a.state <> 'running') AS leaving
             FROM simulated_allocations a
             WHERE a.partition = app.partition AND a.queue = app.queue AND a.application = app.id
               AND ${isThere('$3', 'a')}) AS each
     ) work ON true
     WHERE app.partition = $1 AND ${inSubtree('app.queue', '$2::text')}
     ORDER BY app.queue, app.id LIMIT 1000`,
    [partition, checkQueuePath('under', under), now],
  );
}

/** Room that is being freed on a node, and the application that it is freed for. */
export interface Nominated {
  id: string;
  node: string;
  application: string;
  resources: Resources;
}

export async function nominateFor(db: DataSource, nominations: readonly Nomination[]): Promise<void> {
  if (nominations.length === 0) return;
  await db.query(
    `INSERT INTO simulated_nominations (partition, node, application, resources, until)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::timestamptz[])`,
    [
      nominations.map(({ partition }) => partition),
      nominations.map(({ node }) => node),
      nominations.map(({ application }) => application),
      nominations.map(({ resources }) => JSON.stringify(resources)),
      nominations.map(({ until }) => until.toISOString()),
    ],
  );
}

/** The current nominations, oldest first; expired ones are deleted. */
export async function readNominations(tx: EntityManager, partition: string, now: Date): Promise<Nominated[]> {
  await tx.query('DELETE FROM simulated_nominations WHERE partition = $1 AND until <= $2', [partition, now]);
  return tx.query(
    'SELECT id::text, node, application, resources FROM simulated_nominations WHERE partition = $1 ORDER BY simulated_nominations.id',
    [partition],
  );
}

export async function dropNominations(tx: EntityManager, ids: string[]): Promise<void> {
  if (ids.length > 0)
    await tx.query('DELETE FROM simulated_nominations WHERE id = ANY ($1::bigint[])', [ids]);
}

/** An application that has pending work, and starts it as soon as there is room. */
export interface WaitingApplication {
  id: string;
  queue: string;
  user: string | null;
  priority: number;
  submittedAt: Date | null;
  pending: { resources: Resources; count: number }[];
}

/** The partitions with such applications. */
export async function partitionsWaiting(db: DataSource): Promise<string[]> {
  const rows = await db.query<{ partition: string }[]>(
    `SELECT DISTINCT partition FROM simulated_applications WHERE properties ? 'startsWhenRoom' AND pending <> '[]'`,
  );
  return rows.map(({ partition }) => partition);
}

/** Those of a partition. */
export function readWaiting(tx: EntityManager, partition: string): Promise<WaitingApplication[]> {
  return tx.query(
    `SELECT id, queue, "user", priority, submitted_at AS "submittedAt", pending FROM simulated_applications
     WHERE partition = $1 AND properties ? 'startsWhenRoom' AND pending <> '[]'`,
    [partition],
  );
}

/** What an application still waits for. */
export async function leavePending(
  tx: EntityManager,
  partition: string,
  id: string,
  pending: WaitingApplication['pending'],
): Promise<void> {
  await tx.query('UPDATE simulated_applications SET pending = $3::jsonb WHERE partition = $1 AND id = $2', [
    partition,
    id,
    JSON.stringify(pending),
  ]);
}

/** All nodes, by id. */
export function readSimulatedNodes(
  tx: EntityManager,
  partition: string,
): Promise<{ id: string; capacity: Resources }[]> {
  return tx.query('SELECT id, capacity FROM simulated_nodes WHERE partition = $1 ORDER BY id', [partition]);
}

/** Allocations of the same size, of one user in one queue, on one node. */
export interface Used {
  node: string | null;
  queue: string;
  user: string | null;
  resources: Resources;
  count: number;
}

/** The room that allocations take at a moment. */
export function readUsed(tx: EntityManager, partition: string, now: Date): Promise<Used[]> {
  return tx.query(
    `SELECT a.node, a.queue, app."user", a.resources, count(*)::int AS count
     FROM simulated_allocations a
     JOIN simulated_applications app ON app.partition = a.partition AND app.id = a.application
     WHERE a.partition = $1 AND ${isThere('$2', 'a')} GROUP BY 1, 2, 3, 4`,
    [partition, now],
  );
}
