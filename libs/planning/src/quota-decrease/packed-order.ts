import type { OrderKeys } from './order.js';
import { sortCandidates } from './sort.js';

/** The rules up to 4 of `compareCandidates` in one exact number a candidate, by allocation: the smaller the earlier. */
export interface PackedOrder {
  readonly rank: Float64Array;
  /** Above all ranks. */
  readonly limit: number;
}

/**
 * Packs the keys of candidates; null where they do not fit into whole numbers up to 2^53 - 1. Priorities have to be whole and
 * not too far apart, as they are nearly everywhere. The rules themselves stand in `compareCandidates` only.
 */
export function packOrder(keys: OrderKeys, candidates: Int32Array): PackedOrder | null {
  if (keys.nodes !== null || candidates.length === 0) return null;
  const { distance, role, priority, optedOut, startedAt } = keys;
  let farthest = 0;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  let oldest = Number.POSITIVE_INFINITY;
  let youngest = Number.NEGATIVE_INFINITY;
  for (const a of candidates) {
    if (distance !== null && distance[a]! > farthest) farthest = distance[a]!;
    if (!Number.isSafeInteger(priority[a]!)) return null;
    if (priority[a]! < lowest) lowest = priority[a]!;
    if (priority[a]! > highest) highest = priority[a]!;
    if (startedAt[a]! < oldest) oldest = startedAt[a]!;
    if (startedAt[a]! > youngest) youngest = startedAt[a]!;
  }
  const roles = 3;
  const priorities = highest - lowest + 1;
  const ages = youngest - oldest + 1;
  const limit = (farthest + 1) * roles * priorities * 2 * ages;
  if (limit > Number.MAX_SAFE_INTEGER) return null;

  const rank = new Float64Array(role.length);
  for (const a of candidates) {
    const far = distance === null ? 0 : distance[a]!;
    const byPriority = (far * roles + role[a]!) * priorities + (priority[a]! - lowest);
    rank[a] = (byPriority * 2 + optedOut[a]!) * ages + (youngest - startedAt[a]!);
  }
  return { rank, limit };
}

/**
 * Sorts `list[from..to)` as `sortCandidates` does, several times as fast: rank and place of a candidate make one number, and
 * bare numbers the engine sorts by itself. Rule 5 then decides among equal ranks.
 *
 * @returns false, and nothing is done, where rank and place do not fit into one exact number.
 */
export function sortPacked(
  packed: PackedOrder,
  keys: OrderKeys,
  list: Int32Array,
  from: number,
  to: number,
  scratch: Int32Array,
): boolean {
  const count = to - from;
  if (packed.limit * count > Number.MAX_SAFE_INTEGER) return false;
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    scratch[i] = list[from + i]!;
    numbers[i] = packed.rank[scratch[i]!]! * count + i;
  }
  numbers.sort();
  for (let i = 0; i < count; i++) list[from + i] = scratch[numbers[i]! % count]!;

  for (let start = from; start < to; ) {
    const rank = packed.rank[list[start]!]!;
    let end = start + 1;
    while (end < to && packed.rank[list[end]!] === rank) end++;
    if (end - start > 1) sortCandidates(keys, list, start, end, scratch);
    start = end;
  }
  return true;
}
