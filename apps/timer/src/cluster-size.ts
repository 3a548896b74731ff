import type { ClusterReader } from '@curtail/clusters';
import type { Resources } from '@curtail/contracts';
import type { DataSource } from 'typeorm';

/**
 * The capacities of all nodes of a partition together, where the limit of one of these queues is a share of them; else `{}`, since
 * nobody needs it. A clock that follows the cluster only since the transaction that comes next is left for the next look.
 */
export async function sizeForShares(
  db: DataSource,
  cluster: ClusterReader,
  partition: string,
  queues: readonly string[],
): Promise<Resources> {
  const shared: unknown[] = await db.query(
    `SELECT 1 FROM schedules
     WHERE partition = $1 AND queue = ANY ($2::text[]) AND state #>> '{values,maxShare}' IS NOT NULL LIMIT 1`,
    [partition, queues],
  );
  return shared.length > 0 ? cluster.capacity(partition) : {};
}
