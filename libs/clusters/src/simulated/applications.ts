import type { DataSource } from 'typeorm';
import type { ApplicationWork } from '#contracts/api';
import { inSubtree } from '../tables/subtree.js';
import { isThere } from './is-there.js';
import { queuePath } from './queue-path.js';

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
