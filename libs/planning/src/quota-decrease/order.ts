import { type Snapshot, TASK } from '../snapshot/columns.js';

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
