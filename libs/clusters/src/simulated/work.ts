import type { DataSource } from 'typeorm';
import type { ApplicationWork, QueueWork, WorkCounts } from '#contracts/api';
import { inSubtree } from '../tables/subtree.js';
import { isThere } from './is-there.js';
import { queuePath } from './queue-path.js';

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
    [partition, queuePath('under', under), now],
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
    [partition, queuePath('under', under), now],
  );
}
