import type { DataSource } from 'typeorm';
import { assertPartition, type QueueInForce } from '#clusters';
import type { PartitionPolicies } from '#configuration';
import type { ConfigurationFormat } from '#contracts';
import type { RunningRun } from '#contracts/api';
import { catalog } from '#contracts/events';
import { configStream, runStream, type Tx } from '#event-store';
import { ProblemException } from '#platform';

export interface StoredConfiguration {
  partition: string;
  digest: string;
  format: ConfigurationFormat;
  body: string;
  quotaPreemptionEnabled: boolean;
  policies: PartitionPolicies;
  appliedAt: Date;
  version: number;
  /** The partition it is for, if its sender names one. */
  cluster?: string | null | undefined;
  /** What of it needs a person as long as it is in force, for the status; null or absent: nothing. */
  attention?: readonly object[] | null;
}

/** Submissions for one partition are serialized; the lock is taken before anything is written, so the log has their order. */
export async function lockConfiguration(tx: Tx, partition: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('config/' || $1, 0))`, [partition]);
}

export async function noConfiguration(db: DataSource, partition: string): Promise<ProblemException> {
  await assertPartition(db, partition);
  return new ProblemException({
    code: 'unknown-partition',
    title: 'No configuration',
    status: 404,
    detail: `No configuration was applied to partition ${partition} yet.`,
    remedy: 'Apply one: curtail apply -f queues.yaml',
  });
}

export async function configurationInForce(
  db: DataSource | Tx,
  partition: string,
): Promise<StoredConfiguration | undefined> {
  const rows = await db.query<StoredConfiguration[]>(
    `SELECT partition, digest, format, body, quota_preemption_enabled AS "quotaPreemptionEnabled", policies, applied_at AS "appliedAt",
            version, cluster
     FROM partitions WHERE partition = $1`,
    [partition],
  );
  return rows[0];
}

/**
 * Records the version of the configuration stream at which a queue's quota last changed, for the reconciler of the timer. A removed
 * queue keeps its row: its clock has to receive the removal as well.
 */
export async function noteQuotaChanges(
  tx: Tx,
  partition: string,
  changes: { queue: string; version: number }[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `INSERT INTO quota_changes (partition, queue, version, changed_at)
     SELECT $1, queue, version, clock_timestamp() FROM unnest($2::text[], $3::int[]) AS c (queue, version)
     ON CONFLICT (partition, queue) DO UPDATE SET version = excluded.version, changed_at = excluded.changed_at`,
    [partition, changes.map(({ queue }) => queue), changes.map(({ version }) => version)],
  );
}

/**
 * Puts a configuration in force: writes to the tables what the events of the same transaction record.
 *
 * @param before the queues of the configuration in force until now.
 */
export async function putInForce(
  tx: Tx,
  configuration: StoredConfiguration,
  before: QueueInForce[],
  queues: QueueInForce[],
): Promise<void> {
  const noted = tx.query(
    `INSERT INTO partitions (partition, digest, format, body, quota_preemption_enabled, policies, applied_at, version, cluster, attention)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (partition) DO UPDATE SET digest = excluded.digest, format = excluded.format, body = excluded.body,
       quota_preemption_enabled = excluded.quota_preemption_enabled, policies = excluded.policies, applied_at = excluded.applied_at,
       version = excluded.version, cluster = excluded.cluster, attention = excluded.attention`,
    [
      configuration.partition,
      configuration.digest,
      configuration.format,
      configuration.body,
      configuration.quotaPreemptionEnabled,
      JSON.stringify(configuration.policies),
      configuration.appliedAt.toISOString(),
      configuration.version,
      configuration.cluster ?? null,
      configuration.attention?.length ? JSON.stringify(configuration.attention) : null,
    ],
  );
  await Promise.all([noted, writeQueues(tx, configuration.partition, before, queues)]);
}

/** Writes only what differs: most configurations change a few of very many queues. */
async function writeQueues(
  tx: Tx,
  partition: string,
  before: QueueInForce[],
  after: QueueInForce[],
): Promise<void> {
  const gone = new Map(before.map((queue) => [queue.path, JSON.stringify(columnsOf(queue))]));
  const different: ReturnType<typeof columnsOf>[] = [];
  for (const queue of after) {
    const columns = columnsOf(queue);
    if (gone.get(queue.path) !== JSON.stringify(columns)) different.push(columns);
    gone.delete(queue.path);
  }
  const deleted =
    gone.size > 0 &&
    tx.query('DELETE FROM queues WHERE partition = $1 AND path = ANY ($2::text[])', [
      partition,
      [...gone.keys()],
    ]);
  const inserted = different.length > 0 && insertQueues(tx, partition, different);
  await Promise.all([deleted, inserted]);
}

async function insertQueues(
  tx: Tx,
  partition: string,
  queues: readonly ReturnType<typeof columnsOf>[],
): Promise<void> {
  await tx.query(
    `INSERT INTO queues (partition, path, max, guaranteed, delay_ms, parent, properties, cluster_share)
     SELECT $1, * FROM unnest($2::text[], $3::json[], $4::json[], $5::bigint[], $6::boolean[], $7::json[], $8::json[])
     ON CONFLICT (partition, path) DO UPDATE SET max = excluded.max, guaranteed = excluded.guaranteed,
       delay_ms = excluded.delay_ms, parent = excluded.parent, properties = excluded.properties,
       cluster_share = excluded.cluster_share`,
    [partition, ...queues[0]!.map((_, column) => queues.map((columns) => columns[column]))],
  );
}

/** Whether two queues have the same settings. */
export const isSameQueue = (a: QueueInForce, b: QueueInForce): boolean =>
  JSON.stringify(columnsOf(a)) === JSON.stringify(columnsOf(b));

/** Without the partition, in the order of the statement. */
function columnsOf({ path, max, guaranteed, delayMs, parent, properties, clusterShare }: QueueInForce) {
  const json = (value: object | null | undefined) => (value ? JSON.stringify(value) : null);
  return [path, json(max), json(guaranteed), delayMs, parent, json(properties), json(clusterShare)] as const;
}

const mostNamed = 100;

/** @param queues those whose quota changed; null for the whole partition, whose switch was turned off. */
export async function runningRuns(
  tx: Tx,
  partition: string,
  queues: readonly string[] | null,
): Promise<RunningRun[]> {
  if (queues?.length === 0) return [];
  return tx.query(
    `SELECT s.queue, s.running_enforcement AS enforcement,
            EXISTS (SELECT FROM events e WHERE e.stream = $3 || s.running_enforcement AND e.type = $4) AS evicting,
            (SELECT count(*)::int FROM events e WHERE e.stream = $3 || s.running_enforcement AND e.type = $5) AS evicted
     FROM clocks s
     WHERE s.partition = $1 AND s.running_enforcement IS NOT NULL AND ($2::text[] IS NULL OR s.queue = ANY ($2))
     ORDER BY s.queue LIMIT $6`,
    [partition, queues, runStream(''), catalog.VictimOrdered.type, catalog.VictimEvicted.type, mostNamed],
  );
}

/** The queues whose quotas changed after a version of the configuration, by path. */
export async function changedSince(tx: Tx, partition: string, version: number): Promise<string[]> {
  const rows = await tx.query<{ queue: string }[]>(
    'SELECT DISTINCT key AS queue FROM events WHERE stream = $1 AND version > $2 AND key <> $3 ORDER BY key',
    [configStream(partition), version, partition],
  );
  return rows.map(({ queue }) => queue);
}
