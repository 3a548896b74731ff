import type { FreezeWindow } from '#contracts';
import { type Interval, Recurrence } from './recurrence.js';

/** A freeze of a partition (`queue` null), or of a queue and everything below it. */
export interface Freeze {
  freeze: string;
  queue: string | null;
  window: FreezeWindow;
  by: string;
  reason?: string;
  /** The configuration in force sets it, not an operator. */
  configured?: boolean;
  /** RFC 3339: it has no effect before. */
  since: string;
}

/** Rules are parsed once; the oldest is forgotten first. */
const mostKept = 1000;
const kept = new Map<string, Recurrence>();

function recurrenceOf(window: Extract<FreezeWindow, { rule: string }>): Recurrence {
  const key = JSON.stringify([window.start, window.timeZone, window.duration, window.rule]);
  const known = kept.get(key);
  if (known) return known;
  const recurrence = new Recurrence(window);
  if (kept.size === mostKept) kept.delete(kept.keys().next().value!);
  kept.set(key, recurrence);
  return recurrence;
}

const once = ({ from, until }: { from: string; until: string }): Interval => ({
  from: Date.parse(from),
  until: Date.parse(until),
});

/** The part of a window that contains a moment; undefined: the freeze is not in effect then. */
export function intervalAt({ window, since }: Freeze, atMs: number): Interval | undefined {
  const sinceMs = Date.parse(since);
  if (atMs < sinceMs) return undefined;
  const found = 'rule' in window ? recurrenceOf(window).at(atMs) : once(window);
  if (!found || atMs < found.from || atMs >= found.until) return undefined;
  return { from: Math.max(found.from, sinceMs), until: found.until };
}

/** The next window that begins at a moment or later; undefined: there is none. */
export function nextInterval({ window }: Pick<Freeze, 'window'>, atMs: number): Interval | undefined {
  if ('rule' in window) return recurrenceOf(window).next(atMs);
  const interval = once(window);
  return interval.from >= atMs ? interval : undefined;
}
