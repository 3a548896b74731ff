import { compareFractions, fractionOf } from './fraction.js';

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
