import { compareFractions, fractionOf } from './fraction.js';

type Amounts<A> = { readonly [type: string]: A } | null;

/** A limit of a queue before or after a change; of a share, `max` is what it comes to at the change, null if that is not known. */
export interface ComparableLimit<A extends number | bigint> {
  max: Amounts<A>;
  maxShare?: string | undefined;
}

/** No type of a resource has a name with blanks. */
const ofTheCluster = 'of the cluster';

/**
 * The limits before and after a change as amounts that can be compared type by type (docs/reference/policies/quota-decrease.md §3.1). Two
 * shares of the cluster count as amounts of one type, whatever the size of the cluster. A share and amounts are compared by what the
 * share comes to; where that is not known, the share counts as a type of its own, and so as lowered where it is new.
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
