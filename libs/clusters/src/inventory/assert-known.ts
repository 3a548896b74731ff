import type { DataSource, EntityManager } from 'typeorm';
import { InputError } from '#contracts';
import { answerWithin } from '#waiting';
import { momentOf } from '../tables/moment.js';
import { type Freshness, type NotKnown, notKnown, notRead } from './freshness.js';
import { otherClusterShown } from './one-cluster.js';
import type { ReportsWatermark } from './reports-watermark.js';

/**
 * The inventory of a partition is not known well enough to evict by it. Its `path` is `inventory`. The state is temporary: callers wait
 * and show the message meanwhile.
 */
export class InventoryUnknown extends InputError {
  constructor(readonly why: NotKnown) {
    super('inventory', `${why.message}; nothing is evicted by it. ${sentence(why.remedy)}`);
  }

  override get code(): NotKnown['code'] {
    return this.why.code;
  }
}

/** How long a caller waits for reports in transit: a busy topic always has some. */
export const reportsWaitMs = 2000;

/**
 * Waits until every report that is on the bus now is applied. Call it before reading the tables: they are then at least as new.
 *
 * @returns when a loss of reports was last found; null = never.
 * @throws InventoryUnknown when there are unread reports after `reportsWaitMs`, or the bus does not answer.
 */
export async function assertReportsApplied(watermark: ReportsWatermark | undefined): Promise<Date | null> {
  if (watermark === undefined) return null;
  const { why, gapAt } = await checkReports(watermark, reportsWaitMs);
  if (why) throw new InventoryUnknown(why);
  return gapAt;
}

/**
 * Returns the reports that are unread on the bus after `waitMs`, and the reason if the partition is unknown. Never throws.
 *
 * @param withinMs a bus that has not answered by then counts as unreachable; absent: its own limit holds.
 */
export async function checkReports(
  watermark: ReportsWatermark,
  waitMs: number,
  withinMs?: number,
): Promise<{ why: NotKnown | undefined; gapAt: Date | null; unread: { place: string; reports: number }[] }> {
  try {
    const asked = () => watermark.unread(waitMs);
    // Reports in transit are awaited as long, so a bus that answers has some more time.
    const found = await (withinMs === undefined ? asked() : answerWithin(withinMs * 1.25, asked));
    const placeOf = (partition: number) => watermark.placeOf(partition);
    return {
      why: notRead(found, placeOf),
      gapAt: found.gapAt,
      unread: found.behind.map(({ partition, messages }) => ({
        place: placeOf(partition),
        reports: messages,
      })),
    };
  } catch (error) {
    const why: NotKnown = {
      code: 'bus-unreachable',
      message: `it is not known whether all reports are applied (${(error as Error).message})`,
      remedy:
        'check that Kafka runs, and that this service may DESCRIBE the topic (docs/how-to/kafka.md, "Rights")',
    };
    return { why, gapAt: null, unread: [] };
  }
}

/**
 * @param staleSeconds how long the sender may be silent.
 * @param gapAt when a loss of reports was last found; null = never.
 * @param now null for the time of the database.
 * @returns the moment for which the partition is known; later changes may not have been reported yet.
 * @throws InventoryUnknown with the reason.
 */
export async function assertInventoryKnown(
  db: DataSource | EntityManager,
  partition: string,
  { staleSeconds, gapAt, now }: { staleSeconds: number; gapAt: Date | null; now: Date | null },
): Promise<Date> {
  const [known] = await readFreshness(db, partition, staleSeconds, now);
  const [why] = notKnown(partition, known, { staleSeconds, gapAt });
  if (why) throw new InventoryUnknown(why);
  return known!.knownAt;
}

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

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;
