import { DataSource } from 'typeorm';
import { NODE_LABELS_OF } from '#clusters';
import type {
  Attention,
  ConfigurationVersion,
  ConfigurationVersionDetail,
  FeedView,
  NamedKind,
  PartitionView,
  RoundsView,
} from '#contracts/api';
import type { Mode } from '#enforcement';
import type { Tx } from '#event-store';
import { HELD_PARTITIONS, MODE_OF, SET_STOPS_OF } from '#holds';

/** Partitions with a configuration, a mode or a stop of their own. @param which SQL; $1 is the value. */
export const partitionRows = (db: Tx | DataSource, which: string, value: string | null, limit: number) =>
  db.query<
    (Omit<PartitionView, 'mode' | 'nodeLabels'> & { mode: Mode | null; nodeLabels: string[] | null })[]
  >(
    `WITH known AS (
         SELECT partition FROM partitions UNION ${HELD_PARTITIONS})
       SELECT partition, set.mode, set.mode IS NULL AS "modeIsDefault", p.quota_preemption_enabled AS "quotaPreemptionEnabled",
              ${NODE_LABELS_OF('known.partition')} AS "nodeLabels",
              ARRAY(SELECT json_object_keys(coalesce(p.policies::json, '{}')) ORDER BY 1) AS policies,
              (SELECT count(*)::int FROM queues q WHERE q.partition = known.partition) AS queues,
              p.version, p.applied_at AS "appliedAt",
              ${SET_STOPS_OF('known.partition')} AS stops
       FROM known LEFT JOIN partitions p USING (partition), LATERAL (SELECT ${MODE_OF('known.partition')} AS mode) AS set
       WHERE ${which} ORDER BY partition LIMIT $2`,
    [value, limit],
  );

/** The last rounds of a partition, by policy. */
export const roundsOf = (db: Tx | DataSource, partition: string, policy: string | null) =>
  db.query<Omit<RoundsView, 'exempt'>[]>(
    `SELECT r.partition, r.policy, r.round::int AS round, r.enforcement, r.state, r.started_at AS "startedAt",
              t.due_at AS "nextDueAt", r.skipped::int AS skipped, r.planned_round::int AS "plannedRound",
              r.planned_at AS "plannedAt", r.seconds, r.plan, r.failure,
              (SELECT count(*)::int FROM victim_notes n
               WHERE n.policy = r.policy AND n.partition = r.partition) AS notified
       FROM rounds r LEFT JOIN timers t ON t.kind = r.policy AND t.partition = r.partition AND t.name = 'root'
       WHERE r.partition = $1 AND ($2::text IS NULL OR r.policy = $2) ORDER BY r.policy`,
    [partition, policy],
  );

const versionColumns = `c.partition, c.version, c.previous, c.version = p.version AS "inForce", c.applied_at AS "appliedAt", c.sent_by AS by, c.via,
  c.source, c.submission, c.rolled_back_to AS "rolledBackTo", c.only_queue AS "onlyQueue", c.format, c.digest, c.queues_added AS added,
  c.queues_removed AS removed, c.queues_changed AS changed`;

const recorded = 'configurations c JOIN partitions p USING (partition)';

/** A page of the versions of a configuration, the latest first. */
export const versionsOf = (
  db: Tx | DataSource,
  partition: string,
  since: string | null,
  by: string | null,
  before: string | null,
  limit: number,
) =>
  db.query<ConfigurationVersion[]>(
    `SELECT ${versionColumns} FROM ${recorded}
       WHERE c.partition = $1 AND ($2::timestamptz IS NULL OR c.applied_at >= $2) AND ($3::text IS NULL OR c.sent_by = $3)
         AND ($4::bigint IS NULL OR c.version < $4)
       ORDER BY c.version DESC LIMIT $5`,
    [partition, since, by, before, limit],
  );

/** A version of a configuration with its text. */
export const versionOf = (db: Tx | DataSource, partition: string, version: number) =>
  db.query<ConfigurationVersionDetail[]>(
    `SELECT ${versionColumns}, c.quota_preemption_enabled AS "quotaPreemptionEnabled", t.body, c.changes
       FROM ${recorded} JOIN configuration_texts t ON t.partition = c.partition AND t.digest = c.digest
       WHERE c.partition = $1 AND c.version = $2`,
    [partition, version],
  );

export type FeedRow = Pick<
  FeedView,
  'kind' | 'source' | 'messages' | 'sequence' | 'submission' | 'lagSeconds' | 'configured' | 'deadLetters'
> & {
  partition: string;
  sentAt: Date | null;
  receivedAt: Date | null;
  ignored: Partial<Record<FeedView['ignored'][number]['reason'], number>>;
  ignoredAt: Date | null;
  applied: number | null;
  cluster: string | null;
  version: number | null;
};

/** A page of senders with their dead letters. */
export const feedsAfter = (
  db: Tx | DataSource,
  reports: string,
  submissions: string,
  partition: string | null,
  afterPartition: string | null,
  afterKind: string | null,
  afterSource: string | null,
  limit: number,
) =>
  db.query<FeedRow[]>(
    `WITH letters AS (
         SELECT CASE topic WHEN $1 THEN 'inventory' ELSE 'configuration' END COLLATE "C" AS kind,
                coalesce(source, '') COLLATE "C" AS source, count(*)::int AS count
         FROM dead_letters WHERE topic IN ($1, $2) GROUP BY 1, 2),
       all_feeds AS (
         SELECT partition, kind, source, messages, sequence, submission, sent_at, received_at, ignored, ignored_at FROM feeds
         UNION ALL
         SELECT '', kind, source, 0, NULL, NULL, NULL, NULL, '{}', NULL FROM letters l
         WHERE NOT EXISTS (SELECT FROM feeds f WHERE (f.kind, f.source) = (l.kind, l.source)))
       SELECT f.partition, f.kind, f.source, f.messages::float8 AS messages, f.sequence::float8 AS sequence, f.submission,
              f.sent_at AS "sentAt", f.received_at AS "receivedAt", f.ignored, f.ignored_at AS "ignoredAt",
              extract(epoch FROM f.received_at - f.sent_at)::float8 AS "lagSeconds", p.partition IS NOT NULL AS configured,
              coalesce(l.count, 0) AS "deadLetters", i.newest_sequence::float8 AS applied, i.cluster,
              CASE WHEN c.source = f.source THEN p.version END AS version
       FROM all_feeds f
       LEFT JOIN letters l USING (kind, source)
       LEFT JOIN partitions p ON p.partition = f.partition
       LEFT JOIN inventory_partitions i ON i.partition = f.partition
       LEFT JOIN configurations c ON c.partition = p.partition AND c.version = p.version AND c.via = 'kafka'
       WHERE ($3::text IS NULL OR f.partition = $3)
         AND ($4::text IS NULL OR (f.partition, f.kind, f.source) > ($4 COLLATE "C", $5 COLLATE "C", $6 COLLATE "C"))
       ORDER BY f.partition, f.kind, f.source LIMIT $7`,
    [reports, submissions, partition, afterPartition, afterKind, afterSource, limit],
  );

/** Notices of a configuration in force that need a person. */
export interface ConfiguredAttention {
  partition: string;
  notices: Pick<Attention, 'code' | 'message' | 'about'>[];
}

/** What needs attention in the configurations in force of some partitions. */
export const attentionIn = (db: Tx | DataSource, partitions: readonly string[]) =>
  db.query<ConfiguredAttention[]>(
    `SELECT partition, attention AS notices FROM partitions
       WHERE partition = ANY ($1) AND attention IS NOT NULL ORDER BY partition`,
    [partitions],
  );

export interface Beginning {
  prefix: string;
  /** Of allocations and queues. */
  partition: string;
  limit: number;
}

/** Names of a kind that begin with $1: SQL, and the beginning as it is written there. */
const NAMES: Record<
  Exclude<NamedKind, 'allocation'>,
  { select: string; isAsGiven?: true; isOfPartition?: true }
> = {
  enforcement: {
    select: 'SELECT enforcement AS name FROM read_runs WHERE starts_with(enforcement, $1)',
    isAsGiven: true,
  },
  replay: { select: 'SELECT id AS name FROM replays WHERE starts_with(id, $1)', isAsGiven: true },
  'dead-letter': {
    select: `SELECT name FROM (SELECT consumer || '/' || event_id::text AS name FROM dead_letters) letters WHERE starts_with(name, $1)`,
  },
  queue: {
    select: 'SELECT path AS name FROM queues WHERE partition = $2 AND starts_with(path, $1)',
    isOfPartition: true,
  },
  partition: { select: 'SELECT partition AS name FROM partitions WHERE starts_with(partition, $1)' },
};

/** The names of a kind that begin alike, in their order. */
export const namesLike = (
  db: Tx | DataSource,
  kind: keyof typeof NAMES,
  { prefix, partition, limit }: Beginning,
) => {
  const { select, isAsGiven, isOfPartition } = NAMES[kind];
  return db.query<{ name: string }[]>(
    `SELECT DISTINCT name FROM (${select}) named ORDER BY name LIMIT ${limit}`,
    [isAsGiven ? prefix : prefix.toLowerCase(), ...(isOfPartition ? [partition] : [])],
  );
};

/** Allocations that runs chose whose names begin alike. In the order of the index: the first of very many are read alone. */
export const victimsLike = (db: Tx | DataSource, { partition, prefix, limit }: Beginning) =>
  db.query<{ name: string }[]>(
    `SELECT DISTINCT ON (allocation) allocation AS name FROM read_victims
       WHERE partition = $1 AND starts_with(allocation, $2) ORDER BY allocation USING ~<~ LIMIT ${limit}`,
    [partition, prefix],
  );

/** How many dead letters there are. */
export async function countDeadLetters(db: Tx | DataSource): Promise<number> {
  const rows = await db.query<{ count: number }[]>('SELECT count(*)::int AS count FROM dead_letters');
  return rows[0]!.count;
}
