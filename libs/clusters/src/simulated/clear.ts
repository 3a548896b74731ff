import { InputError } from '@curtail/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { lockForWriting } from './place.js';
import { inSubtree } from './subtree.js';

const PATH = /^root(\.[a-z0-9_:#/@-]{1,64})*$/;
const LONGEST_PATH = 1000;

export interface Cleared {
  applications: number;
  allocations: number;
}

/** Takes away all work of a queue and below it; with `root` the nodes too. Nobody is told: it is as if it had never been. */
export async function clear(dataSource: DataSource, partition: string, under = 'root'): Promise<Cleared> {
  const queue = queuePath('under', under);
  return dataSource.transaction(async (manager) => {
    await lockForWriting(manager, partition);
    return clearWork(manager, partition, queue);
  });
}

export async function clearWork(manager: EntityManager, partition: string, queue: string): Promise<Cleared> {
  const remove = async (table: string, condition: string, value: string): Promise<number> => {
    const [, count] = await manager.query<[unknown[], number]>(
      `DELETE FROM ${table} WHERE partition = $1 AND ${condition}`,
      [partition, value],
    );
    return count;
  };
  const allocations = await remove('simulated_allocations', inSubtree('queue', '$2::text'), queue);
  const applications = await remove('simulated_applications', inSubtree('queue', '$2::text'), queue);
  await remove('simulated_nodes', "($2 = 'root' OR starts_with(id, $2 || '/'))", queue);
  return { applications, allocations };
}

/** A queue path in lower case, as configurations are kept; InputError for anything else. */
export function queuePath(field: string, path: string): string {
  const lower = path.toLowerCase();
  if (lower.length > LONGEST_PATH || !PATH.test(lower)) {
    throw new InputError(field, `"${path.slice(0, 100)}" is no queue: write a path such as root.load.`);
  }
  return lower;
}
