import type { AppliedOffset } from '../applied-offsets.js';
import type { Ends } from './start-of-reading.js';

/** The reason why a consumer has not applied everything that was on its topic at a moment. */
export interface Unread {
  /** The number of Kafka partitions with messages that are not applied. */
  behind: { partition: number; messages: number }[];
  /** Kafka partitions where messages are missing that were never applied. */
  missing: number[];
  /** When the latest gap was found, by the clock of the database; null = there was none. */
  gapAt: Date | null;
}

/**
 * Compares the ends of all partitions with the applied offsets.
 *
 * A partition that ends below the applied offset was recreated; one that begins above it has lost messages. Both count
 * as missing until the consumer has detected and recorded a gap.
 *
 * @param before the applied offsets before the ends were read: later, more may be applied than existed then.
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
    const isRecreated = nextOffset > high && (before.get(partition)?.nextOffset ?? 0n) > high;
    if (isRecreated || nextOffset < low) unread.missing.push(partition);
    else if (nextOffset < high) unread.behind.push({ partition, messages: Number(high - nextOffset) });
  }
  return unread;
}

export const isAllApplied = ({ behind, missing }: Unread): boolean =>
  behind.length === 0 && missing.length === 0;
