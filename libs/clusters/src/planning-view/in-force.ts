import type { DataSource, EntityManager } from 'typeorm';
import type { PartitionPolicies } from '#configuration';
import {
  type ClusterShare,
  chain,
  chainFromRoot,
  type Flapping,
  flappingOf,
  nodeLabelsProperty,
  propertyOf,
  type Resources,
} from '#contracts';
import { HELD_PARTITIONS } from '#holds';

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

/** The queues of the configurations in force of several partitions, each in the order of the paths; those without queues are missing. */
export async function queuesOfPartitions(
  db: DataSource | EntityManager,
  partitions: readonly string[],
): Promise<Map<string, QueueInForce[]>> {
  const found = new Map<string, QueueInForce[]>();
  const rows = await db.query<(QueueInForce & { partition: string })[]>(
    `SELECT partition, ${columns} FROM queues WHERE partition = ANY ($1::text[]) ORDER BY partition, path`,
    [partitions],
  );
  for (const { partition, ...queue } of rows) {
    const queues = found.get(partition);
    if (queues) queues.push(queue);
    else found.set(partition, [queue]);
  }
  return found;
}

/** The policies that run in each partition with a configuration, with their settings; `partition` for one of them. */
export async function policiesInForce(
  db: DataSource | EntityManager,
  partition?: string,
): Promise<Map<string, PartitionPolicies>> {
  const rows = await db.query<{ partition: string; policies: PartitionPolicies }[]>(
    'SELECT partition, policies FROM partitions WHERE $1::text IS NULL OR partition = $1 ORDER BY partition',
    [partition ?? null],
  );
  return new Map(rows.map((row) => [row.partition, row.policies]));
}

export interface QueueOfPartition {
  partition: string;
  queue: string;
}

/** Of each queue whether its max can flap: what an operator has set, else the configuration in force. */
export async function flappingInForce(
  db: DataSource | EntityManager,
  queues: readonly QueueOfPartition[],
): Promise<(of: QueueOfPartition) => Flapping> {
  if (queues.length === 0) return () => false;
  const chains = new Map<string, Set<string>>();
  for (const { partition, queue } of queues) {
    const known = chains.get(partition) ?? new Set();
    addChain(known, queue);
    chains.set(partition, known);
  }
  const keys = [...chains].flatMap(([partition, paths]) => [...paths].map((path) => ({ partition, path })));
  const rows = await db.query<{ partition: string; path: string; value: unknown }[]>(
    `SELECT q.partition, q.path, coalesce(o.value::jsonb, q.properties::jsonb -> '${propertyOf('flapping')}') AS value
     FROM unnest($1::text[], $2::text[]) AS k (partition, path)
     JOIN queues q ON q.partition = k.partition AND q.path = k.path
     LEFT JOIN setting_overrides o ON o.partition = q.partition AND o.queue = q.path AND o.setting = 'flapping'
     WHERE o.value IS NOT NULL OR q.properties ->> '${propertyOf('flapping')}' IS NOT NULL`,
    [keys.map(({ partition }) => partition), keys.map(({ path }) => path)],
  );
  if (rows.length === 0) return () => false;
  const set = [...chains.keys()].map((partition): [string, (queue: string) => Flapping] => {
    const own = rows.filter((row) => row.partition === partition);
    const queuesWithIt = own.map(({ path, value }) => ({
      path,
      properties: { [propertyOf('flapping')]: value },
    }));
    return [partition, flappingOf(queuesWithIt)];
  });
  const found = new Map(set);
  return ({ partition, queue }) => found.get(partition)?.(queue) ?? false;
}

/** Adds a queue and those above it that are missing: of a thousand queues, most have their parents in common. */
function addChain(paths: Set<string>, queue: string): void {
  for (const path of chain(queue)) {
    if (paths.has(path)) break;
    paths.add(path);
  }
}

/** By queue, the properties that operators have set in the place of those of the configuration. */
export type SettingOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** $1 the partition. */
export const SETTING_OVERRIDES = `
  SELECT coalesce(json_object_agg(queue, properties), '{}')
  FROM (SELECT queue, json_object_agg('curtail.' || setting, value) AS properties
        FROM setting_overrides WHERE partition = $1 GROUP BY queue) AS set`;

export async function settingOverrides(
  db: DataSource | EntityManager,
  partition: string,
): Promise<SettingOverrides> {
  const [row] = await db.query<{ overrides: SettingOverrides }[]>(
    `SELECT (${SETTING_OVERRIDES}) AS overrides`,
    [partition],
  );
  return row?.overrides ?? {};
}

/** The partitions that have a configuration. */
export async function configuredPartitions(db: DataSource | EntityManager): Promise<string[]> {
  const rows = await db.query<{ partition: string }[]>('SELECT partition FROM partitions ORDER BY partition');
  return rows.map(({ partition }) => partition);
}

/** Partitions with a configuration, a mode, a stop or reports; `limit` at most. */
export async function knownPartitions(db: DataSource | EntityManager, limit: number): Promise<string[]> {
  const rows = await db.query<{ name: string }[]>(
    `SELECT partition AS name FROM partitions UNION ${HELD_PARTITIONS}
     UNION SELECT partition FROM inventory_partitions ORDER BY name LIMIT $1`,
    [limit],
  );
  return rows.map(({ name }) => name);
}

/** The paths of the configuration in force, in their order; `limit` at most. */
export async function pathsInForce(
  db: DataSource | EntityManager,
  partition: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ path: string }[]>(
    'SELECT path FROM queues WHERE partition = $1 ORDER BY path LIMIT $2',
    [partition, limit],
  );
  return rows.map(({ path }) => path);
}
