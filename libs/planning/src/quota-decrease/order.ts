import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { type Snapshot, TASK } from '../snapshot/columns.js';
import type { Target } from './target.js';

/** The data that decides between candidates beside their own columns. */
export interface OrderKeys {
  /** By allocation: when it started, or what counts as that. */
  readonly startedAt: Float64Array;
  /** With `victimOrder: "closest-match"`, by size: 0 = exactly the types of the target, else 1 + number of types outside it. */
  readonly distance: Int32Array | null;
  /** With `nodeAware`, by allocation: where it stands among the equals up to rule 3 because of its node; smaller goes first. */
  readonly nodePlace: Float64Array | null;
}

/** The rule that decided between two candidates; a number is a rule of the specification. */
export type Rule = 'types' | 0 | 1 | 2 | 3 | 'node' | 4 | 5;

/**
 * The rule that puts one candidate of a leaf before another: docs/reference/policies/quota-decrease.md §5. A rule decides only among
 * equals of all rules before it.
 *
 * - types: with "closest-match" the exact types of the target first, then fewest types outside it
 * - rule 0: placeholders before all others (roles are numbered in the order of rules 0 and 1)
 * - rule 1: every other role before originators
 * - rule 2: lower priority first
 * - rule 3: who allows preemption before who opted out
 * - node: with `nodeAware` by the place of the node
 * - rule 4: younger first
 * - rule 5: smaller id first, which makes the order total
 */
export function decidingRule(
  { allocations }: Snapshot,
  keys: OrderKeys,
  first: number,
  second: number,
): Rule {
  const { role, priority, optedOut, size } = allocations;
  const { startedAt, distance, nodePlace } = keys;
  if (distance !== null && distance[size[first]!] !== distance[size[second]!]) return 'types';
  if (role[first] !== role[second]) return role[first]! < TASK ? 0 : 1;
  if (priority[first] !== priority[second]) return 2;
  if (optedOut[first] !== optedOut[second]) return 3;
  if (nodePlace !== null && nodePlace[first] !== nodePlace[second]) return 'node';
  return startedAt[first] !== startedAt[second] ? 4 : 5;
}

/** Candidates that are equal by all rules up to 3 are of one class: docs/reference/policies/quota-decrease.md §5. */
export interface Classes {
  /** By allocation, set for candidates: the smaller goes first. */
  readonly of: Float64Array;
  /** Above all of them. */
  readonly limit: number;
}

export function classesOf(snapshot: QueueSnapshot, keys: OrderKeys, candidates: Int32Array): Classes {
  const { count, role, optedOut, size } = snapshot.allocations;
  const { priorityNumber, priorityCount } = snapshot.order;
  const { distance } = keys;
  let farthest = 0;
  if (distance !== null) for (const far of distance) if (far > farthest) farthest = far;
  const roles = 3;
  const of = new Float64Array(count);
  for (let i = 0; i < candidates.length; i++) {
    const a = candidates[i]!;
    const far = distance === null ? 0 : distance[size[a]!]!;
    of[a] = ((far * roles + role[a]!) * priorityCount + priorityNumber[a]!) * 2 + optedOut[a]!;
  }
  return { of, limit: (farthest + 1) * roles * priorityCount * 2 };
}

/** How far the types of each size are from those of the target: 0 = exactly those, else 1 + number of types outside it. */
export function typeDistances(snapshot: QueueSnapshot, target: Target): Int32Array {
  const { sizeCount, firstEntry, entryType } = snapshot.allocations;
  const distance = new Int32Array(sizeCount);
  for (let size = 0; size < sizeCount; size++) {
    let inside = 0;
    let outside = 0;
    for (let e = firstEntry[size]!; e < firstEntry[size + 1]!; e++) {
      if (target.placeOfType[entryType[e]!]! >= 0) inside++;
      else outside++;
    }
    distance[size] = outside === 0 && inside === target.count ? 0 : 1 + outside;
  }
  return distance;
}
