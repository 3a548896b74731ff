import type { AppliedOffset } from '../applied-offsets.js';
import type { Ends } from './start-of-reading.js';

/** The reason why a consumer has not applied everything that stood on its topic at a moment. */
export interface Unread {
  /** Kafka partitions with messages that are not applied, the number of them. */
  behind: { partition: number; messages: number }[];
  /** Kafka partitions where messages are missing that were never applied. */
  missing: number[];
  /** When the latest gap was found, by the clock of the database; null = there was none. */
  gapAt: Date | null;
}

/**
 * Compares the ends of all partitions with how far they are applied.
 *
 * A partition that ends below what was applied was made again; one that begins above it has lost messages. Both are missing until
 * the consumer has noticed and noted a gap.
 *
 * @param before what was applied before the ends were asked for: later on, more may be applied than stood there then.
 */
export function unreadOf(
  ends: ReadonlyMap<number, Ends>,
  applied: ReadonlyMap<number, AppliedOffset>,
  before: ReadonlyMap<number, AppliedOffset> = applied,
): Unread {
  const unread: Unread = { behind: [], missing: [], gapAt: null };
  for (const [partition, { low, high }] of [...ends].sort(([a], [b]) => a - b)) {
    const { nextOffset = 0n, gapAt = null } = applied.get(partition) ?? {};
    if (gapAt && (!unread.gapAt || gapAt > unread.gapAt)) unread.gapAt = gapAt;
    const isAnew = nextOffset > high && (before.get(partition)?.nextOffset ?? 0n) > high;
    if (isAnew || nextOffset < low) unread.missing.push(partition);
    else if (nextOffset < high) unread.behind.push({ partition, messages: Number(high - nextOffset) });
  }
  return unread;
}

export const isAllApplied = ({ behind, missing }: Unread): boolean =>
  behind.length === 0 && missing.length === 0;
