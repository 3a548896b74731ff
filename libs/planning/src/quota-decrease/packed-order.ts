import type { OrderKeys } from './order.js';

/**
 * The rules up to 4 of `compareCandidates` in one exact number a candidate, the smaller the earlier; null where they do not
 * fit. A sort then compares two numbers instead of ten, which halves its time. Priorities have to be whole and not too far
 * apart, which they are everywhere but in tests; the rules themselves stand in `compareCandidates` only.
 */
export function packOrder(keys: Omit<OrderKeys, 'packed'>, candidates: Int32Array): Float64Array | null {
  if (keys.nodes !== null || candidates.length === 0) return null;
  const { distance, role, priority, optedOut, startedAt } = keys;
  let [farthest, lowest, highest, oldest, youngest] = [0, Infinity, -Infinity, Infinity, -Infinity];
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
  if ((farthest + 1) * roles * priorities * 2 * ages > Number.MAX_SAFE_INTEGER) return null;

  const packed = new Float64Array(role.length);
  for (const a of candidates) {
    const far = distance === null ? 0 : distance[a]!;
    const byPriority = (far * roles + role[a]!) * priorities + (priority[a]! - lowest);
    packed[a] = (byPriority * 2 + optedOut[a]!) * ages + (youngest - startedAt[a]!);
  }
  return packed;
}
