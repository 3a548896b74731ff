import type { DataSource, EntityManager } from 'typeorm';
import { type ClusterShare, chainFromRoot, nodeLabelsProperty, type Resources } from '#contracts';

/** A queue of the configuration in force. */
export interface QueueInForce {
  path: string;
  max: Resources | null;
  guaranteed: Resources | null;
  delayMs: number;
  parent: boolean;
  /** Amounts that follow the size of the cluster, in place of max or guaranteed (`resolveShares`). */
  clusterShare?: ClusterShare | null;
  /** The properties of the queue for policies; null for none. */
  properties?: Readonly<Record<string, unknown>> | null;
}

const columns =
  'path, max, guaranteed, delay_ms::float8 AS "delayMs", parent, properties, cluster_share AS "clusterShare"';

/** The node labels of the configuration in force of a partition, as JSON; null: none. `nodeLabelsOf` of libs/contracts explains them. */
export const NODE_LABELS_OF = (partition: string) =>
  `(SELECT root.properties -> '${nodeLabelsProperty}' FROM queues root WHERE root.partition = ${partition} AND root.path = 'root')`;

/**
 * $1 partition, $2 the chain of a queue, $3 the queue: these and everything below. '/' is the character after '.', and the column
 * sorts by bytes, so a range finds all queues below.
 */
export const QUEUES_WITHIN = `
  SELECT ${columns} FROM queues WHERE partition = $1 AND path = ANY ($2::text[])
  UNION ALL
  SELECT ${columns} FROM queues WHERE partition = $1 AND path >= $3 || '.' AND path < $3 || '/'
  ORDER BY path`;

/** The queues of the configuration in force: a queue, its chain and everything below it; without `queue` all. */
export async function queuesInForce(
  db: DataSource | EntityManager,
  partition: string,
  queue?: string,
): Promise<QueueInForce[]> {
  if (queue === undefined) {
    return db.query(`SELECT ${columns} FROM queues WHERE partition = $1 ORDER BY path`, [partition]);
  }
  return db.query(QUEUES_WITHIN, [partition, chainFromRoot(queue), queue]);
}
