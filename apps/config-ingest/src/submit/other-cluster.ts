import type { DataSource } from 'typeorm';
import { clusterOfPartition } from '#clusters';
import type { ConfigurationError } from '#contracts/api';

/** The quotas of one cluster must not be enforced on the allocations of another. */
export async function otherCluster(
  db: DataSource,
  partition: string,
  cluster: string | undefined,
): Promise<ConfigurationError | undefined> {
  const known = cluster === undefined ? undefined : await clusterOfPartition(db, partition);
  if (known === undefined || known === cluster) return undefined;
  const message =
    `partition ${partition} is cluster ${known}, and this configuration comes from cluster ${cluster}: give each cluster a ` +
    `partition of its own, or let this one take its place: stop the agents of the other one, run curtail inventory reset --partition ${partition}, ` +
    'then restart its agents';
  return { path: 'partitions', message };
}
