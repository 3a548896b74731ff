import type { DataSource, EntityManager } from 'typeorm';
import type { ClearedWork } from '#contracts/api';
import { inSubtree } from '../tables/subtree.js';
import { lockForWriting } from './place.js';
import { idPrefix, queuePath } from './queue-path.js';

/**
 * Removes all work of a queue and below it, and the nodes that were loaded for it; with `root` all nodes. No events are
 * sent: it is as if the work had never existed.
 */
export async function clear(dataSource: DataSource, partition: string, under = 'root'): Promise<ClearedWork> {
  const queue = queuePath('under', under);
  return dataSource.transaction(async (manager) => {
    await lockForWriting(manager, partition);
    return clearWork(manager, partition, queue);
  });
}

export async function clearWork(
  manager: EntityManager,
  partition: string,
  queue: string,
): Promise<ClearedWork> {
  const remove = async (table: string, condition: string, value: string): Promise<number> => {
    const [, count] = await manager.query<[unknown[], number]>(
      `DELETE FROM ${table} WHERE partition = $1 AND ${condition}`,
      [partition, value],
    );
    return count;
  };
  const allocations = await remove('simulated_allocations', inSubtree('queue', '$2::text'), queue);
  const applications = await remove('simulated_applications', inSubtree('queue', '$2::text'), queue);
  await remove('simulated_evictions', inSubtree('queue', '$2::text'), queue);
  if (queue === 'root') await remove('simulated_nominations', '$2::text IS NOT NULL', queue);
  if (queue === 'root') await remove('simulated_budgets', '$2::text IS NOT NULL', queue);
  await remove('simulated_announcements', inSubtree('queue', '$2::text'), queue);
  await remove('simulated_nodes', 'starts_with(id, $2)', queue === 'root' ? '' : idPrefix(queue));
  return { applications, allocations };
}
