import type { DataSource } from 'typeorm';
import type { ConfigurationFormat } from '#contracts';
import type { ConfigurationChanges } from '#contracts/api';
import { deleteOldest, type Tx } from '#event-store';
import { type Retention, retentionOfRecords, type Trim, trimmedAtOnce, upTo } from '#runtime';

/** A version of a partition's configuration as it is recorded. */
export interface RecordedVersion {
  partition: string;
  version: number;
  previous: number | null;
  appliedAt: Date;
  by?: string | undefined;
  via: 'http' | 'kafka';
  /** CloudEvents source of a submission over Kafka. */
  source?: string | undefined;
  submission?: string | undefined;
  rolledBackTo?: number | undefined;
  /** The queue whose entry alone was sent. */
  onlyQueue?: string | undefined;
  format: ConfigurationFormat;
  digest: string;
  body: string;
  quotaPreemptionEnabled: boolean;
  cluster?: string | undefined;
  added: number;
  removed: number;
  changed: number;
  changes: ConfigurationChanges;
}

/** Records versions, in the transaction that puts the last one of each partition in force. */
export async function recordVersions(tx: Tx, versions: readonly RecordedVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const texts = [...new Map(versions.map((each) => [`${each.partition}\n${each.digest}`, each])).values()];
  const kept = tx.query(
    // The update also protects the row from a trim that runs at the same time.
    `INSERT INTO configuration_texts (partition, digest, body, used_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
     ON CONFLICT (partition, digest) DO UPDATE SET used_at = excluded.used_at`,
    [
      texts.map(({ partition }) => partition),
      texts.map(({ digest }) => digest),
      texts.map(({ body }) => body),
      texts.map(({ appliedAt }) => appliedAt.toISOString()),
    ],
  );
  const rows = versions.map(columnsOf);
  const recorded = tx.query(
    `INSERT INTO configurations (partition, version, previous, applied_at, sent_by, via, source, submission, rolled_back_to, only_queue,
       format, digest, quota_preemption_enabled, cluster, queues_added, queues_removed, queues_changed, changes)
     SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[],
       $10::text[], $11::text[], $12::text[], $13::boolean[], $14::text[], $15::int[], $16::int[], $17::int[], $18::json[])`,
    rows[0]!.map((_, column) => rows.map((row) => row[column])),
  );
  await Promise.all([kept, recorded]);
}

/** In the order of the statement. */
const columnsOf = (version: RecordedVersion) =>
  [
    version.partition,
    version.version,
    version.previous,
    version.appliedAt.toISOString(),
    version.by ?? null,
    version.via,
    version.source ?? null,
    version.submission ?? null,
    version.rolledBackTo ?? null,
    version.onlyQueue ?? null,
    version.format,
    version.digest,
    version.quotaPreemptionEnabled,
    version.cluster ?? null,
    version.added,
    version.removed,
    version.changed,
    JSON.stringify(version.changes),
  ] as const;

/** What is needed to put a version in force again. */
export interface EarlierVersion {
  format: ConfigurationFormat;
  body: string;
  quotaPreemptionEnabled: boolean;
  cluster: string | null;
}

export async function earlierVersion(
  db: DataSource,
  partition: string,
  version: number,
): Promise<EarlierVersion | undefined> {
  const rows = await db.query<EarlierVersion[]>(
    `SELECT c.format, t.body, c.quota_preemption_enabled AS "quotaPreemptionEnabled", c.cluster
     FROM configurations c JOIN configuration_texts t ON t.partition = c.partition AND t.digest = c.digest
     WHERE c.partition = $1 AND c.version = $2`,
    [partition, version],
  );
  return rows[0];
}

/** Versions that another one replaced long ago, then the texts that no version has any more. */
export const historyTrims = (kept: Retention): Trim[] => [
  upTo(trimmedAtOnce, 'configurations', (db, limit) => trimVersions(db, retentionOfRecords(kept), limit)),
  upTo(trimmedAtOnce, 'configuration_texts', (db, limit) => trimTexts(db, retentionOfRecords(kept), limit)),
];

function trimVersions(db: DataSource, days: number, limit: number): Promise<number> {
  const isOver = `applied_at < now() - make_interval(days => $1) AND EXISTS (
    SELECT FROM configurations later WHERE later.partition = configurations.partition AND later.version > configurations.version)`;
  return deleteOldest(db, 'configurations', { key: ['applied_at'], isOver, days, limit });
}

function trimTexts(db: DataSource, days: number, limit: number): Promise<number> {
  const isOver = `used_at < now() - make_interval(days => $1) AND NOT EXISTS (
    SELECT FROM configurations c WHERE c.partition = configuration_texts.partition AND c.digest = configuration_texts.digest)`;
  return deleteOldest(db, 'configuration_texts', { key: ['used_at'], isOver, days, limit });
}
