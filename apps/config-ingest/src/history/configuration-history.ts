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
  quotaPreemptionEnabled: boolean;
  cluster?: string | undefined;
  added: number;
  removed: number;
  changed: number;
  changes: ConfigurationChanges;
}

/** The text of a configuration that comes into force. */
export interface RecordedText {
  partition: string;
  digest: string;
  /** Absent: it is that of the configuration in force, so it is on record. */
  body: string | undefined;
  appliedAt: Date;
}

/** Records texts, each once: senders often send the same one again. Later statements of the transaction read them from there. */
export async function recordTexts(tx: Tx, texts: readonly RecordedText[]): Promise<void> {
  const isNew = ({ body }: RecordedText) => body !== undefined;
  const [added, known] = [byDigest(texts.filter(isNew)), byDigest(texts.filter((each) => !isNew(each)))];
  const columns = (of: readonly RecordedText[]) => [
    of.map(({ partition }) => partition),
    of.map(({ digest }) => digest),
    of.map(({ appliedAt }) => appliedAt.toISOString()),
  ];
  const bodies = added.map(({ body }) => body);
  // The update also protects the row from a trim that runs at the same time.
  await Promise.all([
    added.length > 0 &&
      tx.query(
        `INSERT INTO configuration_texts (partition, digest, used_at, body)
         SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], ARRAY[${bodies.map((_, i) => `$${i + 4}`).join()}]::text[])
         ON CONFLICT (partition, digest) DO UPDATE SET used_at = excluded.used_at`,
        // As parameters of their own, texts need no quotes, which take longer than anything else here.
        [...columns(added), ...bodies],
      ),
    known.length > 0 &&
      tx.query(
        `UPDATE configuration_texts t SET used_at = known.used_at
         FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS known (partition, digest, used_at)
         WHERE t.partition = known.partition AND t.digest = known.digest`,
        columns(known),
      ),
  ]);
}

const byDigest = (texts: readonly RecordedText[]): readonly RecordedText[] => [
  ...new Map(texts.map((each) => [`${each.partition}\n${each.digest}`, each])).values(),
];

/** Records versions, whose texts are on record, in the transaction that puts the last one of each partition in force. */
export async function recordVersions(tx: Tx, versions: readonly RecordedVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const rows = versions.map(columnsOf);
  await tx.query(
    `INSERT INTO configurations (partition, version, previous, applied_at, sent_by, via, source, submission, rolled_back_to, only_queue,
       format, digest, quota_preemption_enabled, cluster, queues_added, queues_removed, queues_changed, changes)
     SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[],
       $10::text[], $11::text[], $12::text[], $13::boolean[], $14::text[], $15::int[], $16::int[], $17::int[], $18::json[])`,
    rows[0]!.map((_, column) => rows.map((row) => row[column])),
  );
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
