import { covers, isWithin } from '#contracts';
import type { Frozen, Stop } from '#enforcement';
import { type Freeze, intervalAt } from './freeze.js';
import { instantOf } from './time-zones.js';

/** Windows that follow one another without a gap count as one, up to so many: after them the clock is checked again. */
const mostInARow = 100;

/**
 * How a clock of a queue is frozen at a moment; undefined: it is not. A freeze holds the clocks of the queues that it
 * covers, and those of the queues above, whose runs would take victims from the rest alone.
 *
 * @param atMs milliseconds since 1970, by the clock of the database.
 */
export function frozenAt(queue: string, freezes: readonly Freeze[], atMs: number): Frozen | undefined {
  const holding = freezes.filter(
    (freeze) => covers(freeze.queue, queue) || (freeze.queue !== null && isWithin(freeze.queue, queue)),
  );
  let last: { freeze: Freeze; untilMs: number } | undefined;
  for (let i = 0; i < mostInARow; i++) {
    const next = latestAt(holding, last?.untilMs ?? atMs);
    if (!next) break;
    last = next;
  }
  return last && { until: instantOf(last.untilMs), freeze: stopOf(last.freeze, last.untilMs) };
}

function latestAt(freezes: readonly Freeze[], atMs: number): { freeze: Freeze; untilMs: number } | undefined {
  let latest: { freeze: Freeze; untilMs: number } | undefined;
  for (const freeze of freezes) {
    const untilMs = intervalAt(freeze, atMs)?.until;
    if (untilMs !== undefined && untilMs > (latest?.untilMs ?? atMs)) latest = { freeze, untilMs };
  }
  return latest;
}

/**
 * How a clock that runs is frozen: now, if it is due within this freeze or at its end; otherwise when it falls due.
 *
 * @param atMs milliseconds since 1970, by the clock of the database.
 */
export function frozenClock(
  queue: string,
  freezes: readonly Freeze[],
  dueMs: number,
  atMs: number,
): Frozen | undefined {
  const now = frozenAt(queue, freezes, atMs);
  if (now && dueMs <= Date.parse(now.until)) return now;
  return dueMs > atMs ? frozenAt(queue, freezes, dueMs) : undefined;
}

/**
 * The freezes in effect at a moment, as stops of the run that was opened at `openedMs`: a run that was opened before a
 * freeze began continues.
 *
 * @param openedMs undefined: it is not open yet.
 */
export function freezeStops(freezes: readonly Freeze[], atMs: number, openedMs?: number): Stop[] {
  return freezes.flatMap((freeze) => {
    const interval = intervalAt(freeze, atMs);
    if (!interval || (openedMs !== undefined && openedMs < interval.from)) return [];
    return [stopOf(freeze, interval.until)];
  });
}

const stopOf = ({ queue, by, reason, configured }: Freeze, untilMs: number): Stop => ({
  queue,
  by,
  ...(reason !== undefined && { reason }),
  ...(configured && { configured }),
  frozenUntil: instantOf(untilMs),
});
