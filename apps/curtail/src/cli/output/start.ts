import { clockText, dueText } from './time.js';

/** When the run of a clock starts. Without `startsAt` it is the due time. */
export interface Start {
  dueAt: string | null;
  startsAt?: string | null | undefined;
  waiting?: { code: string } | null | undefined;
}

/** The time at which the run starts; null: unknown. */
export const startOf = ({ dueAt, startsAt }: Start): string | null =>
  startsAt === undefined ? dueAt : startsAt;

/** `in 59 min`, or `waits` where the start is unknown. */
export function startText(start: Start, now: number): string {
  const at = startOf(start);
  return at === null ? 'waits' : dueText(at, now);
}

/** `2026-11-21 10:00:07`, or `-`. */
export const startClockText = (start: Start): string => clockText(startOf(start));

/** Reasons that say no more than the due time itself. */
const plain = new Set(['due', 'overdue']);

/** Whether something moves the run away from its due time. */
export const isMoved = ({ waiting }: Start): boolean => waiting != null && !plain.has(waiting.code);

/** `due in 59 min (frozen)`, or `waits (ancestor running)`: when it starts, and in a word what moves it. */
export function dueOrWaits(start: Start, now: number): string {
  const why = isMoved(start) ? ` (${start.waiting!.code.replaceAll('-', ' ')})` : '';
  return `${startOf(start) === null ? 'waits' : `due ${startText(start, now)}`}${why}`;
}
