import type { DataSource, EntityManager } from 'typeorm';
import type { Tx } from '#event-store';
import { momentOf } from '../tables/rows.js';
import type { Freshness } from './freshness.js';
import type { SenderState } from './track-sender.js';

/** Serializes writers of a partition's inventory until the transaction ends: the sums stay right, and writers cannot deadlock. */
export async function lockInventory(tx: Tx, partition: string): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('inventory/' || $1, 0))", [partition]);
}

/** The same for several partitions, always in the same order. */
export async function lockInventories(tx: Tx, partitions: readonly string[]): Promise<void> {
  await tx.query(
    `SELECT pg_advisory_xact_lock(hashtextextended('inventory/' || partition, 0))
     FROM (SELECT partition FROM unnest($1::text[]) WITH ORDINALITY AS p (partition, nr) ORDER BY nr OFFSET 0) AS wanted`,
    [partitions.toSorted()],
  );
}

interface Row extends Omit<SenderState, 'rejected' | Sequences> {
  rejectedAt: Date | null;
  rejectedSequence: string | null;
  rejectedSource: string | null;
  rejectedCount: string;
}
type Sequences = 'listedSequence' | 'heldSequence' | 'newestSequence' | 'confirmedSequence';

const unknownSender: SenderState = {
  source: null,
  lastReportAt: null,
  listedSequence: 0,
  heldSequence: 0,
  newestSequence: 0,
  newestAt: null,
  confirmedSequence: 0,
  confirmedAt: null,
  rejected: null,
};

/** Call it inside the lock of the partition (`lockInventory`). */
export async function loadSender(tx: Tx, partition: string): Promise<SenderState> {
  const [row] = await tx.query<(Row & Record<Sequences, string>)[]>(
    `SELECT source, last_report_at AS "lastReportAt", listed_sequence::text AS "listedSequence",
            coalesce(held_sequence, 0)::text AS "heldSequence", newest_sequence::text AS "newestSequence",
            newest_at AS "newestAt", confirmed_sequence::text AS "confirmedSequence", confirmed_at AS "confirmedAt",
            rejected_at AS "rejectedAt", rejected_sequence::text AS "rejectedSequence",
            rejected_source AS "rejectedSource", rejected_count::text AS "rejectedCount"
     FROM inventory_partitions WHERE partition = $1`,
    [partition],
  );
  if (row === undefined) return unknownSender;
  const { rejectedAt, rejectedSequence, rejectedSource, rejectedCount, ...state } = row;
  return {
    ...state,
    listedSequence: Number(row.listedSequence),
    heldSequence: Number(row.heldSequence),
    newestSequence: Number(row.newestSequence),
    confirmedSequence: Number(row.confirmedSequence),
    rejected: rejectedAt && {
      at: rejectedAt,
      sequence: Number(rejectedSequence),
      source: rejectedSource,
      count: Number(rejectedCount),
    },
  };
}

/**
 * A report time in the future counts as now; otherwise later silence of its sender would go unnoticed.
 *
 * @param now null for the time of the database.
 */
export async function saveSender(
  tx: Tx,
  partition: string,
  { lastReportAt, source, newestSequence, newestAt, confirmedSequence, confirmedAt, rejected }: SenderState,
  now: Date | null,
): Promise<void> {
  await tx.query(
    `INSERT INTO inventory_partitions AS known (
       partition, last_report_at, source, newest_sequence, newest_at, confirmed_sequence, confirmed_at,
       rejected_at, rejected_sequence, rejected_source, rejected_count, rejected_since)
     VALUES ($1, least(coalesce($3::timestamptz, '-infinity'), ${momentOf('$2')}), $4, $5, $6, $7, $8, $9, $10, $11, $12,
             CASE WHEN $9::timestamptz IS NOT NULL THEN ${momentOf('$2')} END)
     ON CONFLICT (partition) DO UPDATE SET
       last_report_at = greatest(known.last_report_at, excluded.last_report_at), source = excluded.source,
       newest_sequence = excluded.newest_sequence, newest_at = excluded.newest_at,
       confirmed_sequence = excluded.confirmed_sequence, confirmed_at = excluded.confirmed_at,
       rejected_at = excluded.rejected_at, rejected_sequence = excluded.rejected_sequence,
       rejected_source = excluded.rejected_source, rejected_count = excluded.rejected_count,
       rejected_since = CASE WHEN excluded.rejected_at IS NOT NULL
                             THEN coalesce(known.rejected_since, excluded.rejected_since) END`,
    [
      partition,
      now,
      lastReportAt?.toISOString() ?? null,
      source,
      newestSequence,
      newestAt?.toISOString() ?? null,
      confirmedSequence,
      confirmedAt?.toISOString() ?? null,
      rejected?.at.toISOString() ?? null,
      rejected?.sequence ?? null,
      rejected?.source ?? null,
      rejected?.count ?? 0,
    ],
  );
}

/** The cluster that a partition belongs to, as its sender reports; undefined while no report has named one. */
export async function clusterOfPartition(
  db: Tx | DataSource,
  partition: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ cluster: string | null }[]>(
    'SELECT cluster FROM inventory_partitions WHERE partition = $1',
    [partition],
  );
  return row?.cluster ?? undefined;
}

/** Assigns the partition to this cluster, after its first report is recorded. Call it inside the lock of the partition. */
export async function keepCluster(tx: Tx, partition: string, cluster: string): Promise<void> {
  await tx.query('UPDATE inventory_partitions SET cluster = $2 WHERE partition = $1 AND cluster IS NULL', [
    partition,
    cluster,
  ]);
}

/**
 * Counts reports of another cluster, which are ignored: they would mix its work with that of the partition's own cluster. Call it
 * inside the lock of the partition.
 *
 * @param now for tests, in place of the clock of the database.
 */
export async function noteOtherCluster(
  tx: Tx,
  partition: string,
  { cluster, reports, now }: { cluster: string; reports: number; now: Date | null },
): Promise<void> {
  await tx.query(
    `UPDATE inventory_partitions SET
       other_since = CASE WHEN other_at > ${momentOf('$4')} - ${otherClusterShown} THEN other_since ELSE ${momentOf('$4')} END,
       other_count = $3 + CASE WHEN other_at > ${momentOf('$4')} - ${otherClusterShown} THEN other_count ELSE 0 END,
       other_cluster = $2, other_at = ${momentOf('$4')}
     WHERE partition = $1`,
    [partition, cluster, reports, now],
  );
}

/** SQL: how long after its last report another cluster is shown. Agents report more often than this. */
export const otherClusterShown = "interval '5 minutes'";

export interface KnownFreshness extends Freshness {
  source: string | null;
  /** `lastReportAt`, but no later than now. */
  knownAt: Date;
  droppedSince: Date | null;
  droppedSequence: number | null;
  droppedCount: number;
  /** Set while another cluster sends reports for this partition. */
  otherSince: Date | null;
  otherCluster: string | null;
  otherCount: number;
}

/** @param partition null: all with reports. */
export async function readFreshness(
  db: DataSource | EntityManager,
  partition: string | null,
  staleSeconds: number,
  now: Date | null,
): Promise<KnownFreshness[]> {
  const rows = await db.query<KnownFreshness[]>(
    `SELECT partition, source, last_report_at AS "lastReportAt", least(last_report_at, ${momentOf('$2')}) AS "knownAt",
            ${momentOf('$2')} - last_report_at > make_interval(secs => $3) AS "isSilent",
            listed_at AS "listedAt", listed_sequence AS "listedSequence", listing_sent_at AS "listingSentAt",
            newest_sequence AS "newestSequence", confirmed_sequence AS "confirmedSequence",
            rejected_since AS "rejectedSince", rejected_sequence AS "rejectedSequence",
            rejected_source AS "rejectedSource", rejected_count AS "rejectedCount",
            held_sequence AS "heldSequence", held_since AS "heldSince", held_drops AS "heldDrops", held_of AS "heldOf",
            dropped_since AS "droppedSince", dropped_sequence AS "droppedSequence", dropped_count AS "droppedCount",
            cluster, (SELECT p.cluster FROM partitions p WHERE p.partition = known.partition) AS "configuredCluster",
            other_cluster AS "otherCluster", other_count AS "otherCount",
            CASE WHEN other_at > ${momentOf('$2')} - ${otherClusterShown} THEN other_since END AS "otherSince"
     FROM inventory_partitions known WHERE $1::text IS NULL OR partition = $1 ORDER BY partition`,
    [partition, now, staleSeconds],
  );
  // bigint comes as text; all of them are safe integers.
  return rows.map((row) => ({
    ...row,
    listedSequence: Number(row.listedSequence),
    newestSequence: Number(row.newestSequence),
    confirmedSequence: Number(row.confirmedSequence),
    rejectedSequence: row.rejectedSequence === null ? null : Number(row.rejectedSequence),
    rejectedCount: Number(row.rejectedCount),
    heldSequence: row.heldSequence === null ? null : Number(row.heldSequence),
    droppedSequence: row.droppedSequence === null ? null : Number(row.droppedSequence),
    droppedCount: Number(row.droppedCount),
    otherCount: Number(row.otherCount),
  }));
}
