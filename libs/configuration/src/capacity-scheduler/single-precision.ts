import { type Fraction, fraction } from '#contracts';

/** The nearest number of single precision, as an exact fraction. For parts of a whole, whose denominators are below 2^1000. */
export function inSinglePrecision({ numerator, denominator }: Fraction): Fraction {
  let mantissa = Math.fround(Number(numerator) / Number(denominator));
  let scale = 1n;
  // Doubling is exact, and ends: a number of single precision has 24 digits.
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    scale *= 2n;
  }
  return fraction(BigInt(mantissa), scale);
}
