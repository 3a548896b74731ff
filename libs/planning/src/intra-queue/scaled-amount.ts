import { type Fraction, partOf } from '#contracts';

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** amount × factor, rounded down; amounts and factors are not below 0. A result above 2^53 - 1 counts as that. */
export function timesDown(amount: number, factor: Fraction): number {
  return asAmount(partOf(BigInt(amount), factor));
}

/** amount / divisor, rounded up. */
export function dividedUp(amount: number | bigint, { numerator, denominator }: Fraction): number {
  return asAmount(ceilDivide(BigInt(amount) * denominator, numerator));
}

export function ceilDivide(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

/** A limit above all that a queue can use limits nothing, so 2^53 - 1 serves for any of them. */
export function asAmount(value: bigint): number {
  return Number(value > MOST ? MOST : value);
}
