import { type Fraction, partOf } from '#contracts';

/** Amounts by place in the planned types; a remainder may be negative. Receivers do not change them. */
export type TypeAmounts = Float64Array;

/**
 * Amounts of many things, a row for each and a column for each planned type. Loops over applications and candidates work on rows in
 * place: an object for each intermediate amount would cost several times what is computed.
 */
export type AmountTable = Float64Array;

export function plus(a: TypeAmounts, b: TypeAmounts): TypeAmounts {
  const sum = a.slice();
  for (let place = 0; place < sum.length; place++) sum[place]! += b[place]!;
  return sum;
}

export function minus(a: TypeAmounts, b: TypeAmounts): TypeAmounts {
  const difference = a.slice();
  for (let place = 0; place < difference.length; place++) difference[place]! -= b[place]!;
  return difference;
}

/** Nothing is owed: types below 0 are set to 0. */
export function positive(a: TypeAmounts): TypeAmounts {
  const amounts = a.slice();
  for (let place = 0; place < amounts.length; place++) if (!(amounts[place]! >= 0)) amounts[place] = 0;
  return amounts;
}

/** @param width of the row, which begins at `at`. */
export function isZero(a: AmountTable, at = 0, width = a.length): boolean {
  for (let place = 0; place < width; place++) if (a[at + place] !== 0) return false;
  return true;
}

export function equals(a: AmountTable, b: AmountTable): boolean {
  for (let place = 0; place < a.length; place++) if (a[place] !== b[place]) return false;
  return true;
}

/** Every type at most what there is of it. */
export function fits(a: TypeAmounts, room: TypeAmounts): boolean {
  for (let place = 0; place < a.length; place++) if (a[place]! > room[place]!) return false;
  return true;
}

/** Some type has nothing left. */
export function isSomeTypeOut(a: TypeAmounts): boolean {
  for (let place = 0; place < a.length; place++) if (a[place]! <= 0) return true;
  return false;
}

/** Adds the row of `from` that begins at `fromAt` to the one of `to` that begins at `at`. */
export function addRow(to: AmountTable, at: number, from: AmountTable, fromAt: number, width: number): void {
  for (let place = 0; place < width; place++) to[at + place]! += from[fromAt + place]!;
}

export function subtractRow(
  to: AmountTable,
  at: number,
  from: AmountTable,
  fromAt: number,
  width: number,
): void {
  for (let place = 0; place < width; place++) to[at + place]! -= from[fromAt + place]!;
}

export function copyRow(to: AmountTable, at: number, from: AmountTable, fromAt: number, width: number): void {
  for (let place = 0; place < width; place++) to[at + place] = from[fromAt + place]!;
}

/** Sets types of a row that are below 0 to 0. */
export function clipRow(a: AmountTable, at: number, width: number): void {
  for (let place = at; place < at + width; place++) if (!(a[place]! >= 0)) a[place] = 0;
}

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
