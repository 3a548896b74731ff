import type { DataSource } from 'typeorm';
import type { ConfigurationFormat } from '#contracts';
import type { ConfigurationChanges } from '#contracts/api';
import { deleteOldest, type Tx } from '#event-store';
import { type Retention, retentionOfRecords, rowsAtOnce, type Trim, upTo } from '#runtime';

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

/** Records a version, in the transaction that puts it in force. */
export async function recordVersion(tx: Tx, version: RecordedVersion): Promise<void> {
  const { partition, digest, body, appliedAt } = version;
  const kept = tx.query(
    // The update also protects the row from a trim that runs at the same time.
    `INSERT INTO configuration_texts (partition, digest, body, used_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (partition, digest) DO UPDATE SET used_at = excluded.used_at`,
    [partition, digest, body, appliedAt.toISOString()],
  );
  const recorded = tx.query(
    `INSERT INTO configurations (partition, version, previous, applied_at, sent_by, via, source, submission, rolled_back_to, only_queue,
       format, digest, quota_preemption_enabled, cluster, queues_added, queues_removed, queues_changed, changes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      partition,
      version.version,
      version.previous,
      appliedAt.toISOString(),
      version.by ?? null,
      version.via,
      version.source ?? null,
      version.submission ?? null,
      version.rolledBackTo ?? null,
      version.onlyQueue ?? null,
      version.format,
      digest,
      version.quotaPreemptionEnabled,
      version.cluster ?? null,
      version.added,
      version.removed,
      version.changed,
      JSON.stringify(version.changes),
    ],
  );
  await Promise.all([kept, recorded]);
}

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
  upTo(rowsAtOnce, 'configurations', (db, limit) => trimVersions(db, retentionOfRecords(kept), limit)),
  upTo(rowsAtOnce, 'configuration_texts', (db, limit) => trimTexts(db, retentionOfRecords(kept), limit)),
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
