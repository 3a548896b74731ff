/** The ends of a partition as the broker tells them: the first offset that it still has, and the one behind its last. */
export interface Ends {
  low: bigint;
  high: bigint;
}

/**
 * From where a group reads a partition, compared with how far it is known to have applied it. Offsets are committed only behind
 * effects, so everything below a committed offset is applied.
 *
 * @param known what the table of applied offsets says; undefined: nothing.
 * @param committed undefined: the group has committed nothing, and begins with the first message that there is.
 * @returns what has to be noted; undefined if the table is right. `isGap`: messages were never applied.
 */
export function startOfReading(
  known: bigint | undefined,
  committed: bigint | undefined,
  { low, high }: Ends,
): { nextOffset: bigint; isGap: boolean } | undefined {
  const isThere = committed !== undefined && committed >= low && committed <= high;
  const nextOffset = isThere ? committed : low;
  if (known === undefined) return { nextOffset, isGap: nextOffset > 0n && !isThere };
  // Above the end: the topic was made again. Below the start: what lies in between is passed over.
  if (known > high || known < nextOffset) return { nextOffset, isGap: true };
  return undefined;
}
