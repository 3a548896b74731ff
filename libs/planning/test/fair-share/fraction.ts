/** An exact fraction; the denominator is above 0, and both are as small as they can be. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

export function fraction(over: bigint | number, under: bigint | number = 1n): Fraction {
  const [a, b] = [exact(over), exact(under)];
  return reduced(a.over * b.under, a.under * b.over);
}

/** Decimals such as 0.8 are exactly as written, not as a double rounds them. */
function exact(number: bigint | number): { over: bigint; under: bigint } {
  if (typeof number === 'bigint') return { over: number, under: 1n };
  const decimals = (String(number).split('.')[1] ?? '').length;
  return { over: BigInt(Math.round(number * 10 ** decimals)), under: 10n ** BigInt(decimals) };
}

function reduced(over: bigint, under: bigint): Fraction {
  const sign = under < 0n ? -1n : 1n;
  let [a, b] = [over < 0n ? -over : over, under * sign];
  while (b > 0n) [a, b] = [b, a % b];
  return a === 0n ? ZERO : { over: (over * sign) / a, under: (under * sign) / a };
}

export const ZERO: Fraction = { over: 0n, under: 1n };
export const ONE: Fraction = { over: 1n, under: 1n };

export const plus = (a: Fraction, b: Fraction): Fraction =>
  reduced(a.over * b.under + b.over * a.under, a.under * b.under);
export const minus = (a: Fraction, b: Fraction): Fraction =>
  reduced(a.over * b.under - b.over * a.under, a.under * b.under);
export const times = (a: Fraction, b: Fraction): Fraction => reduced(a.over * b.over, a.under * b.under);
export const divided = (a: Fraction, b: Fraction): Fraction => reduced(a.over * b.under, a.under * b.over);

export function compare(a: Fraction, b: Fraction): number {
  const difference = a.over * b.under - b.over * a.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export const least = (...all: Fraction[]): Fraction => all.reduce((a, b) => (compare(b, a) < 0 ? b : a));
export const greatest = (...all: Fraction[]): Fraction => all.reduce((a, b) => (compare(b, a) > 0 ? b : a));
export const sum = (all: readonly Fraction[]): Fraction => all.reduce(plus, ZERO);
export const toNumber = (a: Fraction): number => Number((a.over * 10n ** 18n) / a.under) / 1e18;
