import { toInstant } from '@curtail/enforcement';

/**
 * The first moment after `now` of a rhythm that had one at `dueAt`: rounds that were slept through are not made up for. An interval
 * may be so long that no calendar has its end.
 */
export function nextRoundAt(dueAt: Date, now: Date, intervalMs: number): Date {
  const lateMs = now.getTime() - dueAt.getTime();
  const intervals = Math.floor(Math.max(0, lateMs) / intervalMs) + 1;
  return new Date(toInstant(dueAt.getTime() + intervals * intervalMs));
}
