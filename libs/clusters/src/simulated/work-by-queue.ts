import type { DataSource } from 'typeorm';
import type { QueueWork } from '#contracts/api';
import { inSubtree } from '../tables/subtree.js';
import { isThere } from './is-there.js';
import { queuePath } from './queue-path.js';

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
