import type { DataSource, EntityManager } from 'typeorm';
import { InputError } from '#contracts';
import { answerWithin } from '#waiting';
import { type NotKnown, notKnown, notRead } from './freshness.js';
import { readFreshness } from './partition-table.js';
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

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;
