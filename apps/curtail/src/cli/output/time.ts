import type { Invocation } from '../invocation/invocation.js';
import { durationText } from './amounts.js';
import { hanging } from './width.js';

type ShownZone = 'local time' | 'UTC';

/** A process serves one call, and all of its times are in one zone. */
let zone: ShownZone = 'local time';

/** Sets the zone of `clockText`: option `--utc`. */
export function showTimesIn(chosen: ShownZone): void {
  zone = chosen;
}

/** `in 12 s`, `12 s late`, `now`; the local clock may differ from the server's. */
export function dueText(at: string | null, now: number): string {
  if (at === null) return '-';
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  if (seconds === 0) return 'now';
  return seconds > 0 ? `in ${durationText(seconds)}` : `${durationText(-seconds)} late`;
}

/** `is due in 12 s`, `was due 12 s ago`, for a sentence. */
export function isOrWasDue(at: string | null, now: number): string {
  if (at === null) return 'has no due time';
  return Date.parse(at) > now - 500 ? `is due ${dueText(at, now)}` : `was due ${agoText(at, now)}`;
}

/** `12 s ago`, `3 min ago`, in one unit: an age is read at a glance. `just now` for less than a second, or if the local clock is behind. */
export function agoText(at: string | null | undefined, now: number): string {
  if (!at) return '-';
  const seconds = Math.floor((now - Date.parse(at)) / 1000);
  if (seconds < 1) return 'just now';
  const size = [86_400, 3600, 60].find((unit) => seconds >= unit) ?? 1;
  return `${durationText(seconds - (seconds % size))} ago`;
}

/** A sentence of the server with its UTC times as in the columns. */
export function withClockTimes(sentence: string): string {
  return sentence.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => clockText(time));
}

/** `2026-11-21 10:00:07` in local time, `2026-11-21 08:00:07Z` in UTC. */
export function clockText(at: string | null | undefined): string {
  if (!at) return '-';
  const date = new Date(at);
  if (zone === 'UTC') return `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`;
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

/** `local time, UTC+02:00 (Europe/Berlin)`, or `UTC`: the zone of `clockText`, now. */
export function zoneText(now = new Date()): string {
  if (zone === 'UTC') return zone;
  const minutes = -now.getTimezoneOffset();
  const two = (number: number) => String(number).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return `local time, UTC${offset} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`;
}

/** The zone of the times in these lines, as a last line; nothing where they have none. */
export function zoneLines(
  lines: readonly string[],
  { width, style }: Pick<Invocation, 'width' | 'style'>,
): string[] {
  if (!lines.some((line) => /\d\d:\d\d:\d\d/.test(line))) return [];
  return hanging(`Times are ${zoneText()}.`, width).map((line) => style('faint', line));
}

/** When the run of a clock starts. Without `startsAt` it is the due time. */
export interface StartTime {
  dueAt: string | null;
  startsAt?: string | null | undefined;
  waiting?: { code: string } | null | undefined;
}

/** The time at which the run starts; null: unknown. */
export const startTimeOf = ({ dueAt, startsAt }: StartTime): string | null =>
  startsAt === undefined ? dueAt : startsAt;

/** `in 59 min`, or `waits` where the start is unknown. */
export function startText(start: StartTime, now: number): string {
  const at = startTimeOf(start);
  return at === null ? 'waits' : dueText(at, now);
}

/** `2026-11-21 10:00:07`, or `-`. */
export const startClockText = (start: StartTime): string => clockText(startTimeOf(start));

/** Reasons that say no more than the due time itself. */
const plain = new Set(['due', 'overdue']);

/** Whether something moves the run away from its due time. */
export const isMoved = ({ waiting }: StartTime): boolean => waiting != null && !plain.has(waiting.code);

/** `due in 59 min (frozen)`, or `waits (ancestor running)`: when it starts, and in a word what moves it. */
export function dueOrWaits(start: StartTime, now: number): string {
  const why = isMoved(start) ? ` (${start.waiting!.code.replaceAll('-', ' ')})` : '';
  return `${startTimeOf(start) === null ? 'waits' : `due ${startText(start, now)}`}${why}`;
}
