import type { DataSource } from 'typeorm';
import type { ClusterReader } from '#clusters';
import { clockKind } from '#contracts';
import { resumeForSize } from '#timers';

/**
 * Once the size of the cluster is known, checks the due queues of a partition that wait only for it.
 *
 * @returns whether it is known.
 */
export async function resumeWithSize(
  db: DataSource,
  cluster: ClusterReader,
  partition: string,
): Promise<boolean> {
  if (Object.keys(await cluster.capacity(partition)).length === 0) return false;
  await resumeForSize(db, clockKind, partition);
  return true;
}
