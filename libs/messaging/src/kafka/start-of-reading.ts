/** The ends of a partition on the broker: the first offset that still exists, and the one after its last. */
export interface Ends {
  low: bigint;
  high: bigint;
}

/**
 * The offset from which a group reads a partition, compared with the recorded applied offset. Offsets are committed
 * only after effects, so everything below a committed offset is applied.
 *
 * @param known the entry in the table of applied offsets; undefined: none.
 * @param committed undefined: the group has committed nothing, and begins with the first existing message.
 * @returns the entry to record; undefined if the table is right. `isGap`: messages were never applied.
 */
export function startOfReading(
  known: bigint | undefined,
  committed: bigint | undefined,
  { low, high }: Ends,
): { nextOffset: bigint; isGap: boolean } | undefined {
  const isThere = committed !== undefined && committed >= low && committed <= high;
  const nextOffset = isThere ? committed : low;
  if (known === undefined) return { nextOffset, isGap: nextOffset > 0n && !isThere };
  // Above the end: the topic was recreated. Below the start: the messages in between are skipped.
  if (known > high || known < nextOffset) return { nextOffset, isGap: true };
  return undefined;
}
