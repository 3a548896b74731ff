import { type Snapshot, TASK } from '../snapshot/columns.js';
import type { NodePlaces } from './node-place.js';

/** The sort keys of allocations, as columns by allocation. */
export interface OrderKeys {
  readonly role: Uint8Array;
  readonly priority: Float64Array;
  readonly optedOut: Uint8Array;
  readonly startedAt: Float64Array;
  readonly ids: readonly string[];
  /** With `victimOrder: "closest-match"`: 0 = exactly the types of the target, else 1 + number of types outside it. */
  readonly distance: Int32Array | null;
  /** With `nodeAware`. */
  readonly nodes: NodePlaces | null;
}

/** What decided between two candidates; a number is a rule of the specification. */
export type Rule = 'types' | 0 | 1 | 2 | 3 | 'node' | 4 | 5;

/**
 * Who is taken first: docs/reference/policies/quota-decrease.md §5. Below 0 if `a` goes before `b`; a rule decides only among equals
 * of all rules before it.
 *
 * - types: with "closest-match" the exact types of the target first, then fewest types outside it
 * - rule 0: placeholders before all others (roles are numbered in the order of rules 0 and 1)
 * - rule 1: every other role before originators
 * - rule 2: lower priority first
 * - rule 3: who allows preemption before who opted out
 * - node: with `nodeAware` by the place of the node
 * - rule 4: younger first
 * - rule 5: smaller id first, which makes the order total
 *
 * Compares numbers in columns and allocates nothing: sorting spends all its time here.
 */
export function compareCandidates(keys: OrderKeys, a: number, b: number): number {
  const byClass = compareClasses(keys, a, b);
  if (byClass !== 0) return byClass;
  if (keys.nodes !== null) {
    const byNode = keys.nodes.place[a]! - keys.nodes.place[b]!;
    if (byNode !== 0) return byNode;
  }
  const byAge = keys.startedAt[b]! - keys.startedAt[a]!;
  if (byAge !== 0) return byAge;
  return keys.ids[a]! < keys.ids[b]! ? -1 : 1;
}

/** The rules up to 3; 0 for two of one class. */
export function compareClasses(keys: OrderKeys, a: number, b: number): number {
  if (keys.distance !== null) {
    const byTypes = keys.distance[a]! - keys.distance[b]!;
    if (byTypes !== 0) return byTypes;
  }
  const byRole = keys.role[a]! - keys.role[b]!;
  if (byRole !== 0) return byRole;
  const lower = keys.priority[a]!;
  const higher = keys.priority[b]!;
  if (lower !== higher) return lower < higher ? -1 : 1;
  return keys.optedOut[a]! - keys.optedOut[b]!;
}

/** The rule that puts `a` before `b`. */
export function decidingRule(keys: OrderKeys, a: number, b: number): Rule {
  if (keys.distance !== null && keys.distance[a] !== keys.distance[b]) return 'types';
  if (keys.role[a] !== keys.role[b]) return keys.role[a]! < TASK ? 0 : 1;
  if (keys.priority[a] !== keys.priority[b]) return 2;
  if (keys.optedOut[a] !== keys.optedOut[b]) return 3;
  if (keys.nodes !== null && keys.nodes.place[a] !== keys.nodes.place[b]) return 'node';
  return keys.startedAt[a] !== keys.startedAt[b] ? 4 : 5;
}

export function orderKeysOf(
  snapshot: Snapshot,
  distance: Int32Array | null,
  nodes: NodePlaces | null,
): OrderKeys {
  const { role, priority, optedOut, startedAt, ids } = snapshot.allocations;
  return { role, priority, optedOut, startedAt, ids, distance, nodes };
}
