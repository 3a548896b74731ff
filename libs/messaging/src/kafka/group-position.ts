import type { Ends } from './start-of-reading.js';

/** A partition, and the next offset of a group in it. */
export interface PartitionPosition extends Ends {
  /** Undefined: the group has committed nothing, and begins with the first existing message. */
  committed: bigint | undefined;
}

/** The partitions of each topic, by its name in the cluster. A topic that does not exist is missing. */
export type GroupPosition = ReadonlyMap<string, ReadonlyMap<number, PartitionPosition>>;

/**
 * Whether a group has read everything that was on its topics at an earlier moment, as far as it still exists: deleted
 * topics, partitions and messages deliver nothing any more.
 */
export function hasRead(measured: GroupPosition, now: GroupPosition): boolean {
  for (const [topic, partitions] of measured) {
    for (const [partition, { high }] of partitions) {
      const there = now.get(topic)?.get(partition);
      if (!there) continue;
      const at = there.committed === undefined || there.committed < there.low ? there.low : there.committed;
      if (at < high && at < there.high) return false;
    }
  }
  return true;
}

/** The possible cause of missing messages, by the state of a topic before and now. */
export function whatHappened(
  topic: string,
  before: GroupPosition,
  now: GroupPosition,
): 'missing' | 'created-again' | 'skipped' {
  const there = now.get(topic);
  if (!there) return 'missing';
  const ends = [...(before.get(topic) ?? [])];
  return ends.some(([partition, { high }]) => (there.get(partition)?.high ?? 0n) < high)
    ? 'created-again'
    : 'skipped';
}
