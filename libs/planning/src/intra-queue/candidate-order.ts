import { PLACEHOLDER, type Snapshot } from '../snapshot/columns.js';

/**
 * Who of one list is taken first: docs/reference/policies/intra-queue.md §6.2. Below 0 if `a` goes before `b`; a rule decides only among
 * equals of all rules before it.
 *
 * 1. placeholders before all others
 * 2. who allows preemption before who opted out
 * 3. lower priority of the allocation first
 * 4. younger first
 * 5. larger id first, which makes the order total
 */
export function compareCandidates({ allocations }: Snapshot, a: number, b: number): number {
  const { role, optedOut, priority, startedAt, ids } = allocations;
  const byRole = Number(role[a] !== PLACEHOLDER) - Number(role[b] !== PLACEHOLDER);
  if (byRole !== 0) return byRole;
  const byConsent = optedOut[a]! - optedOut[b]!;
  if (byConsent !== 0) return byConsent;
  const byPriority = priority[a]! - priority[b]!;
  if (byPriority !== 0) return byPriority;
  const byAge = startedAt[b]! - startedAt[a]!;
  if (byAge !== 0) return byAge;
  return ids[a]! > ids[b]! ? -1 : 1;
}

/**
 * Sorts candidates. Rules 1 to 4 and the place of a candidate make one exact number where they fit into one, and bare numbers
 * the engine sorts by itself, several times as fast as with a comparator; rule 5 then decides among equals.
 */
export function sortCandidates(snapshot: Snapshot, list: readonly number[]): number[] {
  const ranks = ranksOf(snapshot, list);
  if (ranks === null) return list.toSorted((a, b) => compareCandidates(snapshot, a, b));
  const count = list.length;
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i++) numbers[i] = ranks[i]! * count + i;
  numbers.sort();
  const sorted: number[] = [];
  for (let start = 0; start < count; ) {
    const rank = Math.floor(numbers[start]! / count);
    let end = start;
    for (; end < count && numbers[end]! < (rank + 1) * count; end++)
      sorted.push(list[numbers[end]! % count]!);
    if (end - start > 1) {
      const equal = sorted.splice(start).sort((a, b) => compareCandidates(snapshot, a, b));
      for (const candidate of equal) sorted.push(candidate);
    }
    start = end;
  }
  return sorted;
}

/** Rules 1 to 4 in one whole number by place in the list; null where number and place do not fit below 2^53. */
function ranksOf({ allocations }: Snapshot, list: readonly number[]): Float64Array | null {
  const { role, optedOut, priority, startedAt } = allocations;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  let oldest = Number.POSITIVE_INFINITY;
  let youngest = Number.NEGATIVE_INFINITY;
  for (const a of list) {
    if (!Number.isSafeInteger(priority[a]!)) return null;
    if (priority[a]! < lowest) lowest = priority[a]!;
    if (priority[a]! > highest) highest = priority[a]!;
    if (startedAt[a]! < oldest) oldest = startedAt[a]!;
    if (startedAt[a]! > youngest) youngest = startedAt[a]!;
  }
  const priorities = highest - lowest + 1;
  const ages = youngest - oldest + 1;
  if (4 * priorities * ages * (list.length + 1) > Number.MAX_SAFE_INTEGER) return null;
  const ranks = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const a = list[i]!;
    const kind = (role[a] === PLACEHOLDER ? 0 : 2) + optedOut[a]!;
    ranks[i] = (kind * priorities + (priority[a]! - lowest)) * ages + (youngest - startedAt[a]!);
  }
  return ranks;
}
