/** An exact fraction: the decimal that was written, so that 0.1 times 100 is 10. */
export interface Decimal {
  readonly numerator: bigint;
  /** A power of ten. */
  readonly denominator: bigint;
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** The decimal that a number of JSON was written as: the shortest one that reads as this number. */
export function decimalOf(value: number): Decimal {
  const [digits = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = digits.split('.');
  const shift = Number(exponent) - fraction.length;
  const numerator = BigInt(whole + fraction);
  return shift >= 0
    ? { numerator: numerator * 10n ** BigInt(shift), denominator: 1n }
    : { numerator, denominator: 10n ** BigInt(-shift) };
}

export function sumOf(values: readonly number[]): Decimal {
  if (values.every((value) => value === 1)) return { numerator: BigInt(values.length), denominator: 1n };
  const parts = values.map(decimalOf);
  // Of powers of ten the greatest is a multiple of all others. Their product would grow with every part.
  let denominator = 1n;
  for (const part of parts) if (part.denominator > denominator) denominator = part.denominator;
  const numerator = parts.reduce((sum, part) => sum + part.numerator * (denominator / part.denominator), 0n);
  return { numerator, denominator };
}

/** amount × factor, rounded down; amounts and factors are not below 0. A result above 2^53 - 1 counts as that. */
export function timesDown(amount: number, { numerator, denominator }: Decimal): number {
  return asAmount((BigInt(amount) * numerator) / denominator);
}

/** amount / divisor, rounded up. */
export function dividedUp(amount: number | bigint, { numerator, denominator }: Decimal): number {
  return asAmount(ceilDivide(BigInt(amount) * denominator, numerator));
}

export function ceilDivide(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

/** A limit above all that a queue can use limits nothing, so 2^53 - 1 serves for any of them. */
export function asAmount(value: bigint): number {
  return Number(value > MOST ? MOST : value);
}
