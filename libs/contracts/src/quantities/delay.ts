import { InputError } from '../input-error.js';
import { quoted } from '../words.js';

/** A delay as written, exact, and as it is kept: whole milliseconds, rounded up. */
export interface Delay {
  /** Nanoseconds as a fraction, `numerator / denominator`. */
  numerator: bigint;
  denominator: bigint;
  /** 0 = off. */
  ms: bigint;
  /** Digits without a unit where a unit is usual. */
  bareNumber: boolean;
}

const largestSeconds = 2n ** 63n - 1n;
/** The largest exact number; a longer delay is stored as this one. */
export const longestKeptSeconds = 2n ** 53n - 1n;
const longestDurationHours = 2562047n;
const nanoseconds: Record<string, bigint> = {
  ns: 1n,
  us: 10n ** 3n,
  '\u00b5s': 10n ** 3n,
  '\u03bcs': 10n ** 3n,
  ms: 10n ** 6n,
  s: 10n ** 9n,
  m: 60n * 10n ** 9n,
  h: 3600n * 10n ** 9n,
};
const wantedSeconds = 'write whole seconds, such as 7200, from 0 to 9223372036854775807';
const wantedDuration = 'write a duration such as 50ms, 2s, 5m or 1h30m, or 0 for none';

/**
 * The delay beside `max`: whole seconds. docs/reference/policies/quota-decrease.md §2.2
 *
 * @throws InputError at `path`, saying what would be right.
 */
export function parseDelaySeconds(field: WrittenScalar, path: string): Delay {
  if (field.type === 'null') throw new InputError(path, `a delay is missing: ${wantedSeconds}`);
  const seconds = field.type === 'boolean' ? undefined : wholeSeconds(field.text);
  if (seconds === undefined)
    throw new InputError(path, `${quoted(field.text)} is not a delay: ${wantedSeconds}`);
  return { ...kept(seconds * 10n ** 9n, 1n), bareNumber: false };
}

/**
 * The delay among the properties: a Go duration, or digits for seconds. docs/reference/policies/quota-decrease.md §2.2
 *
 * @param noun of the message, where the duration is another one than a delay.
 * @throws InputError at `path`, saying what would be right.
 */
export function parseDelayDuration(field: WrittenScalar, path: string, noun = 'delay'): Delay {
  const { text } = field;
  if (field.type === 'null' || text === '') {
    throw new InputError(path, `a ${noun} is missing: ${wantedDuration}`);
  }
  const bare = field.type === 'boolean' ? undefined : wholeSeconds(text);
  if (bare !== undefined) return { ...kept(bare * 10n ** 9n, 1n), bareNumber: bare > 0n };
  const sum = field.type === 'text' ? durationParts(text) : undefined;
  if (sum === undefined) throw new InputError(path, `${quoted(text)} is no ${noun}: ${wantedDuration}`);
  if (sum.numerator > longestDurationHours * 3600n * 10n ** 9n * sum.denominator) {
    throw new InputError(path, `${quoted(text)} is too long: a duration is at most ${longestDurationHours}h`);
  }
  return { ...kept(sum.numerator, sum.denominator), bareNumber: false };
}

export function sameLength(a: Delay, b: Delay): boolean {
  return a.numerator * b.denominator === b.numerator * a.denominator;
}

function wholeSeconds(text: string): bigint | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const significant = text.replace(/^0+(?=\d)/, '');
  const seconds = significant.length > 19 ? undefined : BigInt(significant);
  return seconds !== undefined && seconds <= largestSeconds ? seconds : undefined;
}

/** Exact: `1.5us` is 1500/1 ns. Undefined for a text that is no duration. */
function durationParts(text: string): { numerator: bigint; denominator: bigint } | undefined {
  if (text.length > 100) return undefined;
  const part = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
  const places = 100;
  const denominator = 10n ** BigInt(places);
  let numerator = 0n;
  while (part.lastIndex < text.length) {
    const found = part.exec(text);
    if (found === null) return undefined;
    const [whole = '', fraction = ''] = (found[1] ?? '').split('.');
    const scaled = BigInt(`${whole}${fraction.padEnd(places, '0')}`);
    numerator += scaled * (nanoseconds[found[2] ?? ''] ?? 0n);
  }
  return { numerator, denominator };
}

function kept(numerator: bigint, denominator: bigint): Omit<Delay, 'bareNumber'> {
  const unit = denominator * 10n ** 6n;
  const ms = (numerator + unit - 1n) / unit;
  const longest = longestKeptSeconds * 1000n;
  return { numerator, denominator, ms: ms < longest ? ms : longest };
}

/** A single value as it was typed: quantities and durations are read from the text, since `1e3`, `010` and a 19-digit number would be lost. */
export interface WrittenScalar {
  readonly type: 'null' | 'boolean' | 'number' | 'text';
  readonly text: string;
}

/** The text of a number of JSON, with all digits of a whole one. The largest amount, 2^63 - 1, has become 2^63 in a double. */
export function textOfNumber(value: number): string {
  if (value === 2 ** 63) return String(2n ** 63n - 1n);
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}
