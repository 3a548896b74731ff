import { toMs } from './instants.js';
import type { ClockHolds, WaitingClock } from './why-waiting.js';

/**
 * When the run of a clock starts, as far as that is known at `at`: its due time, or the end of the freeze that holds it then. Whatever shows
 * when a run is due shows this; `whyClockWaits` says in words what moves it. A run above delays it further by an unknown time, so the time is
 * then the earliest one.
 *
 * @param clock its due time is the one of its delay, or of the freeze that it waits for already.
 * @param at RFC 3339, by the clock of the database.
 * @returns RFC 3339; null: unknown, since what holds it has no end (docs/reference/policies/quota-decrease.md §3.3, 3.6 and 3.10).
 */
export function runStartsAt(
  { dueAt, suspended }: Pick<WaitingClock, 'dueAt' | 'suspended'>,
  { frozen, unknown, above, noSize }: ClockHolds,
  at: string,
): string | null {
  if (suspended) return null;
  if (frozen) return toMs(frozen.until) > toMs(dueAt) ? frozen.until : dueAt;
  if (toMs(dueAt) > toMs(at)) return dueAt;
  return unknown !== undefined || above || noSize ? null : dueAt;
}
