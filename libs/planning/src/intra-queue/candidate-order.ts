import { DenseNumbers } from '../dense-numbers.js';
import { eachTie, placesByRank } from '../places-by-rank.js';
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

/** Sorts candidates: by rank where the rules 1 to 4 fit into one, and by rule 5 among equal ranks. */
export function sortCandidates(snapshot: Snapshot, list: readonly number[]): number[] {
  const ranked = ranksOf(snapshot, list);
  if (ranked === null) return list.toSorted((a, b) => compareCandidates(snapshot, a, b));
  const { ranks, limit } = ranked;
  const sorted: number[] = [];
  for (const place of placesByRank(ranks, limit)) sorted.push(list[place]!);
  eachTie(ranks, (from, to) => {
    const equal = sorted.slice(from, to).sort((a, b) => compareCandidates(snapshot, a, b));
    for (let i = from; i < to; i++) sorted[i] = equal[i - from]!;
  });
  return sorted;
}

/** Rules 1 to 4 in one whole number by place in the list, the smaller the earlier; null where they do not fit. */
function ranksOf(
  { allocations }: Snapshot,
  list: readonly number[],
): { ranks: Float64Array; limit: number } | null {
  const { role, optedOut, priority, startedAt } = allocations;
  let oldest = Number.POSITIVE_INFINITY;
  let youngest = Number.NEGATIVE_INFINITY;
  for (const a of list) {
    if (startedAt[a]! < oldest) oldest = startedAt[a]!;
    if (startedAt[a]! > youngest) youngest = startedAt[a]!;
  }
  const priorities = new DenseNumbers(priority, list);
  const ages = youngest - oldest + 1;
  const limit = 4 * priorities.count * ages;
  if (limit > Number.MAX_SAFE_INTEGER) return null;
  const ranks = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const a = list[i]!;
    const kind = (role[a] === PLACEHOLDER ? 0 : 2) + optedOut[a]!;
    ranks[i] = (kind * priorities.count + priorities.of(priority[a]!)) * ages + (youngest - startedAt[a]!);
  }
  return { ranks, limit };
}
