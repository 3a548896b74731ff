import { pauseAfter } from '#contracts';

const ms = { first: 200, longest: 10_000 };

/**
 * How long to wait after a number of consecutive failures (from 0), in milliseconds: twice as long each time, reduced by up to half at
 * random, and never less than the server asks for.
 *
 * @param chance from 0 to 1.
 */
export function backOffMs(failures: number, chance: number, retryAfterMs = 0): number {
  return Math.max(pauseAfter(failures + 1, ms) * (0.5 + chance / 2), retryAfterMs);
}
