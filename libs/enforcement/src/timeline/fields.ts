import { flag, InputError, isObject, type QuotaValues, type Resources, shown } from '#contracts';
import { toInstant, toMs } from '../instants.js';

export type TimelineFields = Record<string, unknown>;

/** More types than this in one amount are treated as a mistake. */
const maxTypes = 1000;

/** A value as it reads after "is" in a message. */
export function found(value: unknown): string {
  return value === undefined ? 'missing' : shown(value);
}

export function readFields(input: unknown, path: string): TimelineFields {
  if (isObject(input)) return input as TimelineFields;
  throw new InputError(path, `it is ${found(input)}; it must be an object`);
}

/** True, false, or undefined where the field is absent or null. */
export const readFlag = flag(undefined);

export function readTimelineResources(input: unknown, path: string): Resources {
  const fields = readFields(input, path);
  const types = Object.keys(fields);
  if (types.length > maxTypes) {
    throw new InputError(path, `it names ${types.length} resource types; at most ${maxTypes} are read`);
  }
  for (const type of types) {
    const amount = fields[type];
    if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0) {
      throw new InputError(
        `${path}.${type}`,
        `it is ${found(amount)}; it must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
      );
    }
  }
  return fields as Resources;
}

/** `{max, delay}` as a save or the beginning has it: no max is no limit, no delay is off. */
export function readQuotaValues(fields: TimelineFields, path: string): QuotaValues {
  const max = fields.max ?? null;
  return {
    max: max === null ? null : readTimelineResources(max, `${path}.max`),
    delayMs: fields.delay === undefined ? 0 : readDelayMs(fields.delay, `${path}.delay`),
  };
}

/** Seconds, kept to the millisecond and rounded up; more than 2^53 - 1 ms is kept as that (285,000 years). */
function readDelayMs(input: unknown, path: string): number {
  if (typeof input !== 'number' || !Number.isFinite(input) || input < 0) {
    throw new InputError(path, `it is ${found(input)}; it must be a number of seconds, at least 0`);
  }
  // The parser of numbers shifts the decimal point exactly: 0.07 * 1000 is 70.00000000000001.
  const text = String(input);
  const ms = text.includes('e') ? input * 1000 : Number(`${text}e3`);
  return Math.min(Math.ceil(ms), Number.MAX_SAFE_INTEGER);
}

/*
 * The times of a timeline count from a `T` that has no date. Here it is the first moment of 1970, so that the decider
 * sees instants as always: `T+60s` ⇄ 1970-01-01T00:01:00.000Z. docs/reference/snapshot.md, "Timeline".
 */
const shape = /^T([+-])(\d{1,15})(?:\.(\d{1,30}))?s$/;

/**
 * The instant of a time. Decimals finer than a millisecond are rounded up, as delays are; for a check they are rounded
 * down, so that neither ever makes anything early.
 */
export function readOffset(input: unknown, path: string, rounded: 'up' | 'down' = 'up'): string {
  const match = typeof input === 'string' ? shape.exec(input) : null;
  if (!match) {
    throw new InputError(path, `it is ${found(input)}; a time is written like T+60s, T+0.5s or T-10s`);
  }
  const [, sign, whole = '0', decimals = ''] = match;
  const thousandths = Number(whole) * 1000 + Number(decimals.slice(0, 3).padEnd(3, '0'));
  const finer = /[1-9]/.test(decimals.slice(3));
  const awayFromZero = finer && (sign === '-') === (rounded === 'down') ? 1 : 0;
  const ms = sign === '-' ? 0 - thousandths - awayFromZero : thousandths + awayFromZero;
  const instant = toInstant(ms);
  if (toMs(instant) !== ms) {
    throw new InputError(
      path,
      `it is ${found(input)}; T is in 1970, and no year before 0 or after 9999 is known`,
    );
  }
  return instant;
}

/** Writes the form of the input: `T+60s`, `T-0.5s`. */
export function writeOffset(instant: string): string {
  const ms = toMs(instant);
  const absolute = Math.abs(ms);
  const decimals = String(absolute % 1000)
    .padStart(3, '0')
    .replace(/0+$/, '');
  return `T${ms < 0 ? '-' : '+'}${Math.floor(absolute / 1000)}${decimals === '' ? '' : `.${decimals}`}s`;
}
