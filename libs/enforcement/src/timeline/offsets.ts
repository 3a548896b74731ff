import { InputError } from '#contracts';
import { toInstant, toMs } from '../instants.js';
import { found } from './fields.js';

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
