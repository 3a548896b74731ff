import type { DataSource } from 'typeorm';
import { assertPartition, type QueueInForce, queuesOfPartitions } from '#clusters';
import type { PartitionPolicies } from '#configuration';
import { BrokenInvariant, type ConfigurationFormat } from '#contracts';
import type { RunningRun } from '#contracts/api';
import { catalog } from '#contracts/events';
import { configStream, runStream, type Tx } from '#event-store';
import { HAS_CONFIGURED_FREEZES } from '#holds';
import { ProblemException } from '#platform';
import type { DifferingQueues } from './differing-queues.js';
import { keptQueuesOf } from './kept-queues.js';

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

/** A configuration in force without its text, as decisions need it. */
export type InForce = Omit<StoredConfiguration, 'body' | 'attention'>;

/** What a decision about a configuration of a partition is based on. */
export interface PartitionInForce {
  /** Absent: none was applied yet. */
  configuration: InForce | undefined;
  /** In the order of their paths as they are read, else in that of the configuration. */
  queues: readonly QueueInForce[];
  /** The last version of the stream of its configurations. */
  streamVersion: number;
  /** Whether configurations have set freezes that are in force. */
  hasFreezes: boolean;
}

/**
 * Submissions for one partition are serialized: the lock is taken before anything is read or written, so the log has their order. Locks
 * of several partitions are taken in one order everywhere, so that transactions cannot deadlock.
 */
const LOCK = `
  SELECT pg_advisory_xact_lock(name) FROM (
    SELECT DISTINCT hashtextextended('config/' || partition, 0) AS name FROM unnest($1::text[]) AS p (partition) ORDER BY name) AS locks`;

/** $1 partitions, $2 the streams of their configurations. */
const IN_FORCE = `
  SELECT wanted.partition, date_trunc('milliseconds', clock_timestamp()) AS now,
         coalesce((SELECT max(version) FROM stream_heads WHERE stream = wanted.stream), 0)::int AS "streamVersion",
         ${HAS_CONFIGURED_FREEZES('wanted.partition')} AS "hasFreezes",
         digest, format, quota_preemption_enabled AS "quotaPreemptionEnabled", policies, applied_at AS "appliedAt", version, cluster,
         p.xmin::text AS "writtenBy"
  FROM unnest($1::text[], $2::text[]) AS wanted (partition, stream) LEFT JOIN partitions p ON p.partition = wanted.partition`;

interface InForceRow extends Omit<PartitionInForce, 'configuration' | 'queues'>, InForce {
  now: Date;
  /** The transaction that has written the row. */
  writtenBy: string | null;
}

/**
 * Locks the configurations of partitions until the end of the transaction, and reads what is in force, and the time by then.
 * The statements are sent with one write.
 */
export async function lockAndRead(
  tx: Tx,
  partitions: readonly string[],
): Promise<{ at: Date; inForce: Map<string, PartitionInForce> }> {
  const kept = keptQueuesOf(tx);
  const [, rows, queues] = await Promise.all([
    tx.query(LOCK, [partitions]),
    tx.query<InForceRow[]>(IN_FORCE, [partitions, partitions.map(configStream)]),
    queuesOfPartitions(
      tx,
      partitions.filter((partition) => !kept.has(partition)),
    ),
  ]);
  const inForce = new Map<string, PartitionInForce>();
  for (const { now: _, streamVersion, hasFreezes, writtenBy, ...row } of rows) {
    const configuration = row.version === null ? undefined : row;
    const { partition } = row;
    const known = queues.get(partition) ?? kept.find(partition, writtenBy);
    const ofPartition = known ?? (await queuesOfPartitions(tx, [partition])).get(partition) ?? [];
    inForce.set(partition, { configuration, queues: ofPartition, streamVersion, hasFreezes });
  }
  return { at: rows[0]!.now, inForce };
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

export async function readConfigurationInForce(
  db: DataSource | Tx,
  partition: string,
): Promise<StoredConfiguration | undefined> {
  const rows = await db.query<StoredConfiguration[]>(
    `SELECT partition, digest, format, t.body, quota_preemption_enabled AS "quotaPreemptionEnabled", policies, applied_at AS "appliedAt",
            version, cluster
     FROM partitions p JOIN configuration_texts t USING (partition, digest) WHERE partition = $1`,
    [partition],
  );
  return rows[0];
}

/** Whether the configuration in force is that of a cluster, and switches the enforcement of lowered quotas on. */
export async function isSwitchedOnByAgent(db: DataSource, partition: string): Promise<boolean> {
  const rows = await db.query<unknown[]>(
    'SELECT FROM partitions WHERE partition = $1 AND quota_preemption_enabled AND cluster <> $2',
    [partition, ''],
  );
  return rows.length > 0;
}

/** A queue whose quota changed, and the version of the configuration stream that changed it. */
export interface RecordedQuota {
  partition: string;
  queue: string;
  version: number;
}

/**
 * Records the version of the configuration stream at which a queue's quota last changed, for the reconciler of the timer. A removed
 * queue keeps its row: its clock has to receive the removal as well.
 *
 * @param changes one of each queue.
 */
export async function noteQuotaChanges(tx: Tx, changes: readonly RecordedQuota[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `INSERT INTO quota_changes (partition, queue, version, changed_at)
     SELECT partition, queue, version, clock_timestamp()
     FROM unnest($1::text[], $2::text[], $3::int[]) AS c (partition, queue, version)
     ON CONFLICT (partition, queue) DO UPDATE SET version = excluded.version, changed_at = excluded.changed_at`,
    [
      changes.map(({ partition }) => partition),
      changes.map(({ queue }) => queue),
      changes.map(({ version }) => version),
    ],
  );
}

/** A configuration that comes into force in the place of another one of its partition. */
export interface Replacement {
  /** Its text is on record (`recordTexts`). */
  configuration: Omit<StoredConfiguration, 'body'>;
  /** Queues of the one in force until now, and of this one, without those that are the same. */
  differing: DifferingQueues;
  after: readonly QueueInForce[];
}

/**
 * Puts configurations in force: writes to the tables what the events of the same transaction record.
 *
 * `partitions.body` has the text once more, only for processes of 0.1.0 beside this one: they read it there, and with an empty one they let
 * any configuration switch off what an agent has switched on. The release after this one may leave it empty, the next drop the column.
 *
 * @param replacements one of each partition.
 */
export async function putInForce(tx: Tx, replacements: readonly Replacement[]): Promise<void> {
  if (replacements.length === 0) return;
  const all = replacements.map(({ configuration }) => configuration);
  const noted = tx.query<{ partition: string; writtenBy: string }[]>(
    `INSERT INTO partitions (partition, digest, format, quota_preemption_enabled, policies, applied_at, version, cluster, attention, body)
     SELECT applied.*, body
     FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::json[], $6::timestamptz[], $7::int[], $8::text[], $9::json[])
       AS applied (partition, digest, format, enabled, policies, at, version, cluster, attention)
       JOIN configuration_texts USING (partition, digest)
     ON CONFLICT (partition) DO UPDATE SET digest = excluded.digest, format = excluded.format,
       body = CASE WHEN partitions.digest = excluded.digest THEN partitions.body ELSE excluded.body END,
       quota_preemption_enabled = excluded.quota_preemption_enabled, policies = excluded.policies, applied_at = excluded.applied_at,
       version = excluded.version, cluster = excluded.cluster, attention = excluded.attention
     RETURNING partition, xmin::text AS "writtenBy"`,
    [
      all.map(({ partition }) => partition),
      all.map(({ digest }) => digest),
      all.map(({ format }) => format),
      all.map(({ quotaPreemptionEnabled }) => quotaPreemptionEnabled),
      all.map(({ policies }) => JSON.stringify(policies)),
      all.map(({ appliedAt }) => appliedAt.toISOString()),
      all.map(({ version }) => version),
      all.map(({ cluster }) => cluster ?? null),
      all.map(({ attention }) => (attention?.length ? JSON.stringify(attention) : null)),
    ],
  );
  const [rows] = await Promise.all([noted, writeQueues(tx, replacements)]);
  const written = new Map(rows.map(({ partition, writtenBy }) => [partition, writtenBy]));
  for (const { configuration, after } of replacements) {
    const { partition } = configuration;
    const writtenBy = written.get(partition);
    if (writtenBy === undefined)
      throw new BrokenInvariant(`the text of partition ${partition} is not on record`);
    keptQueuesOf(tx).keep(partition, { writtenBy, queues: after });
  }
}

type Columns = readonly [partition: string, ...ReturnType<typeof columnsOf>];

/** Writes only what differs: most configurations change a few of very many queues. */
async function writeQueues(tx: Tx, replacements: readonly Replacement[]): Promise<void> {
  const different: Columns[] = [];
  const deleted: { partition: string; path: string }[] = [];
  for (const { configuration, differing } of replacements) {
    const { partition } = configuration;
    const gone = new Map(differing.before.map((queue) => [queue.path, JSON.stringify(columnsOf(queue))]));
    for (const queue of differing.after) {
      const columns = columnsOf(queue);
      if (gone.get(queue.path) !== JSON.stringify(columns)) different.push([partition, ...columns]);
      gone.delete(queue.path);
    }
    for (const path of gone.keys()) deleted.push({ partition, path });
  }
  await Promise.all([
    deleted.length > 0 &&
      tx.query(
        `DELETE FROM queues q USING unnest($1::text[], $2::text[]) AS gone (partition, path)
         WHERE q.partition = gone.partition AND q.path = gone.path`,
        [deleted.map(({ partition }) => partition), deleted.map(({ path }) => path)],
      ),
    different.length > 0 && insertQueues(tx, different),
  ]);
}

async function insertQueues(tx: Tx, queues: readonly Columns[]): Promise<void> {
  await tx.query(
    `INSERT INTO queues (partition, path, max, guaranteed, delay_ms, parent, properties, cluster_share)
     SELECT * FROM unnest($1::text[], $2::text[], $3::json[], $4::json[], $5::bigint[], $6::boolean[], $7::json[], $8::json[])
     ON CONFLICT (partition, path) DO UPDATE SET max = excluded.max, guaranteed = excluded.guaranteed,
       delay_ms = excluded.delay_ms, parent = excluded.parent, properties = excluded.properties,
       cluster_share = excluded.cluster_share`,
    queues[0]!.map((_, column) => queues.map((columns) => columns[column])),
  );
}

/** A queue as it is read once it is in force. */
export function asInForce(queue: QueueInForce): QueueInForce {
  const [path, max, guaranteed, delayMs, parent, properties, clusterShare] = columnsOf(queue);
  const value = (json: string | null) => (json === null ? null : JSON.parse(json));
  return {
    path,
    max: value(max),
    guaranteed: value(guaranteed),
    delayMs,
    parent,
    properties: value(properties),
    clusterShare: value(clusterShare),
  };
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
