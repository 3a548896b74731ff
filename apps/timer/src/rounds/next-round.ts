import { toInstant } from '#enforcement';

/**
 * Returns the first moment after `now` in a sequence of intervals that has one at `dueAt`: missed rounds are not made
 * up for. The end of an interval may be beyond the last date.
 */
export function nextRoundAt(dueAt: Date, now: Date, intervalMs: number): Date {
  const lateMs = now.getTime() - dueAt.getTime();
  const intervals = Math.floor(Math.max(0, lateMs) / intervalMs) + 1;
  return new Date(toInstant(dueAt.getTime() + intervals * intervalMs));
}
