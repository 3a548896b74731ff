import type { Fraction } from '#contracts';
import type { Amounts } from './amounts.js';
import type { Arithmetic } from './arithmetic.js';

/** The largest share of `a` by the largest share of `b`; undefined if that is 0. docs/reference/policies/intra-queue.md §3 */
export function ratioOf(arithmetic: Arithmetic, a: Amounts, b: Amounts): Fraction | undefined {
  const over = arithmetic.largestShare(a);
  const under = arithmetic.largestShare(b);
  if (under.numerator === 0) return undefined;
  return {
    numerator: BigInt(over.numerator) * BigInt(under.denominator),
    denominator: BigInt(over.denominator) * BigInt(under.numerator),
  };
}
