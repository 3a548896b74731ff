import type { Amounts } from './amounts.js';
import type { Arithmetic } from './arithmetic.js';
import type { Decimal } from './decimal.js';

/** An exact quotient; with the denominator 0 there is none. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The largest share of `a` by the largest share of `b`: docs/reference/policies/intra-queue.md §3. */
export function ratioOf(arithmetic: Arithmetic, a: Amounts, b: Amounts): Ratio {
  const over = arithmetic.largestShare(a);
  const under = arithmetic.largestShare(b);
  return {
    numerator: BigInt(over.numerator) * BigInt(under.denominator),
    denominator: BigInt(over.denominator) * BigInt(under.numerator),
  };
}

/** Smaller first; without a quotient last. */
export function compareRatios(a: Ratio, b: Ratio): number {
  if (a.denominator === 0n || b.denominator === 0n) {
    return Number(a.denominator === 0n) - Number(b.denominator === 0n);
  }
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Without a quotient nothing is below, unless nothing is used either. */
export function isBelow(ratio: Ratio, limit: Decimal): boolean {
  return ratio.numerator * limit.denominator < limit.numerator * ratio.denominator;
}
