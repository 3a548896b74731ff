import type { DataSource } from 'typeorm';
import type { ClusterReader, QueueUsage } from '#clusters';
import { clockKind, type Resources } from '#contracts';
import { resumeForSize } from '#timers';
import { followCluster } from './clock-statements.js';

/** The usage of queues, and the size of the cluster as their limits need it. */
export interface UsageAndSize {
  usage: Map<string, QueueUsage>;
  clusterSize: Resources;
}

/** Reads both from the cluster at once. */
export async function usageAndSize(
  db: DataSource,
  cluster: ClusterReader,
  partition: string,
  queues: string[],
): Promise<UsageAndSize> {
  const [usage, clusterSize] = await Promise.all([
    cluster.usage(partition, queues),
    sizeForShares(db, cluster, partition, queues),
  ]);
  return { usage, clusterSize };
}

/**
 * The total capacity of the nodes of a partition, where the limit of one of these queues is a share of it; else `{}`,
 * since no clock needs it.
 */
async function sizeForShares(
  db: DataSource,
  cluster: ClusterReader,
  partition: string,
  queues: readonly string[],
): Promise<Resources> {
  return (await followCluster(db, partition, queues)) ? cluster.capacity(partition) : {};
}

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
