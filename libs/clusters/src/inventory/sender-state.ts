import type { Tx } from '#event-store';
import { momentOf } from '../tables/moment.js';
import type { SenderState } from './track-sender.js';

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
