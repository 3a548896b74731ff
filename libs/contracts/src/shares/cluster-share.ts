import type { Resources } from '../planning/policy.js';
import { compareFractions, fractionOf, partOf, percentText } from './fraction.js';

/** Amounts of a queue that follow the size of the cluster: exact fractions of it, such as `1/4`. */
export interface ClusterShare {
  guaranteed?: string;
  max?: string;
}

interface Shared {
  max: Resources | null;
  guaranteed: Resources | null;
  clusterShare?: ClusterShare | null;
}

/**
 * A queue with its shares of the cluster resolved to amounts, rounded down by type. A type that the cluster lacks gets 0. Without a size
 * (`{}`: no nodes are known) there are no amounts: no limit, no guarantee.
 * docs/reference/configuration.md, "Capacities"
 *
 * @param cluster total capacity of all nodes of the partition, in base units.
 */
export function resolveShares<T extends Shared>(queue: T, cluster: Resources): T {
  const { guaranteed, max } = queue.clusterShare ?? {};
  if ((guaranteed === undefined && max === undefined) || Object.keys(cluster).length === 0) return queue;
  return {
    ...queue,
    ...(guaranteed === undefined ? {} : { guaranteed: amountsOf(guaranteed, cluster) }),
    ...(max === undefined ? {} : { max: amountsOf(max, cluster) }),
  };
}

/** A limit of a queue: amounts, or a share of the cluster with its amounts at some moment in `max`. */
export interface Limit {
  /** Base units; null = no limit. */
  max: Resources | null;
  maxShare?: string | undefined;
}

/**
 * Amounts of a limit in a cluster of this size; null = no limit. Undefined for a share while the size is unknown (`{}`: no nodes are
 * known).
 */
export function amountsOfLimit({ max, maxShare }: Limit, cluster: Resources): Resources | null | undefined {
  if (maxShare === undefined) return max;
  return Object.keys(cluster).length === 0 ? undefined : amountsOf(maxShare, cluster);
}

function amountsOf(share: string, cluster: Resources): Resources {
  const fraction = fractionOf(share);
  const types = Object.keys(cluster).sort();
  return Object.fromEntries(
    types.map((type) => [type, Number(partOf(BigInt(cluster[type] ?? 0), fraction))]),
  );
}

/** Total capacity of all nodes, capped at 2^53 - 1. */
export function clusterSize(nodes: readonly { capacity?: Resources }[]): Resources {
  const totals = new Map<string, number>();
  for (const { capacity } of nodes) {
    for (const [type, amount] of Object.entries(capacity ?? {})) {
      totals.set(type, Math.min((totals.get(type) ?? 0) + amount, Number.MAX_SAFE_INTEGER));
    }
  }
  return Object.fromEntries(totals);
}

/** A share for people: `25 %`. */
export function shareText(share: string): string {
  return `${percentText(fractionOf(share))} %`;
}

type Amounts<A> = { readonly [type: string]: A } | null;

/** A limit of a queue before or after a change; for a share, `max` has its amounts at the change, null if unknown. */
export interface ComparableLimit<A extends number | bigint> {
  max: Amounts<A>;
  maxShare?: string | undefined;
}

/** Resource types never contain blanks. */
const ofTheCluster = 'of the cluster';

/**
 * The limits before and after a change as amounts that can be compared by type (docs/reference/policies/quota-decrease.md §3.1). Two
 * shares of the cluster are compared as amounts of one type, whatever the cluster's size. A share and amounts are compared by the
 * share's amounts; if these are unknown, the share counts as a type of its own, and therefore as lowered if it is new.
 */
export function comparableLimits<A extends number | bigint>(
  before: ComparableLimit<A>,
  after: ComparableLimit<A>,
): [Amounts<A | number>, Amounts<A | number>] {
  if (before.maxShare === undefined || after.maxShare === undefined) {
    return [orShare(before), orShare(after)];
  }
  const order = compareFractions(fractionOf(before.maxShare), fractionOf(after.maxShare));
  return [{ [ofTheCluster]: 2 }, { [ofTheCluster]: 2 - order }];
}

function orShare<A extends number | bigint>({ max, maxShare }: ComparableLimit<A>): Amounts<A | number> {
  return maxShare === undefined || max !== null ? max : { [ofTheCluster]: 1 };
}
