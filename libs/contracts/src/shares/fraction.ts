/** An exact fraction, 0 or more. Before it is written as text it must be in lowest terms (`fraction`). */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

export const wholeFraction: Fraction = { numerator: 1n, denominator: 1n };

export function fraction(numerator: bigint, denominator: bigint): Fraction {
  const divisor = greatestCommonDivisor(numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** `12.5` as 25/2; undefined unless it is a plain decimal with at most 12 digits before and 12 after the point. */
export function decimalFraction(text: string): Fraction | undefined {
  const [, digits, decimals = ''] = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return fraction(BigInt(digits + decimals), 10n ** BigInt(decimals.length));
}

/** The decimal that a number of JSON was written as, the shortest one that reads as this number: 0.25 is 25/100. */
export function fractionOfNumber(value: number): Fraction {
  const [digits = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', decimals = ''] = digits.split('.');
  const shift = Number(exponent) - decimals.length;
  const numerator = BigInt(whole + decimals);
  return shift >= 0
    ? { numerator: numerator * 10n ** BigInt(shift), denominator: 1n }
    : { numerator, denominator: 10n ** BigInt(-shift) };
}

export function productOfFractions(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.numerator, a.denominator * b.denominator);
}

export function sumOfFractions(fractions: Iterable<Fraction>): Fraction {
  let numerator = 0n;
  let denominator = 1n;
  for (const part of fractions) {
    if (denominator % part.denominator !== 0n) {
      const factor = part.denominator / greatestCommonDivisor(denominator, part.denominator);
      numerator *= factor;
      denominator *= factor;
    }
    numerator += part.numerator * (denominator / part.denominator);
  }
  return fraction(numerator, denominator);
}

/** -1, 0 or 1, as a is less than b, equal or greater. */
export function compareFractions(a: Fraction, b: Fraction): -1 | 0 | 1 {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Rounded down. */
export function partOf(amount: bigint, { numerator, denominator }: Fraction): bigint {
  return (amount * numerator) / denominator;
}

/** `1/3`, and `1` for a whole; `fractionOf` reads it again. */
export function fractionText({ numerator, denominator }: Fraction): string {
  return denominator === 1n ? String(numerator) : `${numerator}/${denominator}`;
}

export function fractionOf(text: string): Fraction {
  const [numerator = '0', denominator = '1'] = text.split('/');
  return fraction(BigInt(numerator), BigInt(denominator));
}

/** In percent, for people: exact with few digits, else rounded to four decimals. */
export function percentText({ numerator, denominator }: Fraction): string {
  const scaled = (numerator * 100n * 10_000n * 2n + denominator) / (denominator * 2n);
  const digits = String(scaled).padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/\.?0+$/, '');
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}
