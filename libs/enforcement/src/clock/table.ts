import { comparableLimits, type QuotaValues, type Resources } from '#contracts';
import { amountOf, limitsNothing, sameAmounts } from '../amounts.js';

/**
 * The rows of the table of docs/reference/policies/quota-decrease.md §3.1 below row a (which is about a run, not about values):
 *
 * - `b` the new delay is 0
 * - `c` the new max limits no type
 * - `d` neither max nor delay changed
 * - `e` only the delay changed
 * - `f` the max changed and some type is lowered, whatever the others do
 * - `g` the max changed and no type is lowered
 */
export type Row = 'b' | 'c' | 'd' | 'e' | 'f' | 'g';

/** The first row that matches. Only the two pairs of values count: never the usage, never the clock. */
export function rowOf(previous: QuotaValues, current: QuotaValues): Row {
  if (current.delayMs === 0) return 'b';
  const [before, now] = comparableLimits(previous, current);
  if (limitsNothing(now)) return 'c';
  if (sameAmounts(before, now)) return previous.delayMs === current.delayMs ? 'd' : 'e';
  return lowersSomeType(before, now) ? 'f' : 'g';
}

/** A type is lowered if the new max has it and the old one had more of it, or did not limit it. */
function lowersSomeType(previous: Resources | null, current: Resources | null): boolean {
  const before = previous ?? {};
  const now = current ?? {};
  return Object.keys(now).some(
    (type) => !Object.hasOwn(before, type) || amountOf(before, type) > amountOf(now, type),
  );
}
