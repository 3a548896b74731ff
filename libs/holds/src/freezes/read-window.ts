import { Temporal } from 'temporal-polyfill';
import { type FreezeWindow, InputError, isStorableTime } from '#contracts';
import { nextInterval } from './freeze.js';
import { longestRecurringMs, Recurrence } from './recurrence.js';
import { instantOf, readInstant, readTimeZone } from './time-zones.js';

/** A window as people write it. Times are RFC 3339, RFC 9557, or local times of the zone. */
export interface GivenWindow {
  /** Absent: now. */
  from?: string | undefined;
  until?: string | undefined;
  /** ISO 8601, such as PT8H or P2DT12H. */
  duration?: string | undefined;
  /** RFC 5545, such as FREQ=WEEKLY;BYDAY=FR. */
  rule?: string | undefined;
  /** IANA, such as Europe/Berlin. */
  timeZone?: string | undefined;
}

const dayMs = 86_400_000;
const longestOnceMs = 366 * dayMs;
const longestRule = 500;
const firstYear = 2000;
/** Parts of a rule. The time of day is that of the start. */
const known = /^(FREQ|INTERVAL|COUNT|UNTIL|BYDAY|BYMONTH|BYMONTHDAY|BYYEARDAY|BYWEEKNO|BYSETPOS|WKST)=.+$/;
const often = /^FREQ=(SECONDLY|MINUTELY|HOURLY)$/;
const mostOccurrences = 1000;

/**
 * Reads a window: once, with `until` or `duration`; recurring, with `from`, `duration` and `rule`.
 *
 * @param nowMs milliseconds since 1970, by the clock of the database.
 * @throws InputError whose path is the name of the field.
 */
export function readWindow(given: GivenWindow, nowMs: number): FreezeWindow {
  const timeZone = given.timeZone === undefined ? undefined : readTimeZone('timeZone', given.timeZone);
  return given.rule === undefined
    ? readOnce(given, timeZone, nowMs)
    : readRecurring(given, timeZone ?? 'UTC', nowMs);
}

function readOnce(
  { from, until, duration }: GivenWindow,
  timeZone: string | undefined,
  nowMs: number,
): FreezeWindow {
  const begin = from === undefined ? instantOf(nowMs) : readInstant('from', from, timeZone);
  if (until !== undefined && duration !== undefined)
    throw new InputError('duration', 'write until or duration, not both');
  const end = until === undefined ? endOf(begin, duration, timeZone) : readInstant('until', until, timeZone);
  const field = until === undefined ? 'duration' : 'until';
  for (const [name, time] of [
    ['from', begin],
    [field, end],
  ] as const) {
    if (!isStorableTime(time)) throw new InputError(name, `${time} is not in the years 1 to 9999`);
  }
  const [beginMs, endMs] = [Date.parse(begin), Date.parse(end)];
  if (endMs <= beginMs)
    throw new InputError(field, `the freeze ends at ${end}, which is not after its start, ${begin}`);
  if (endMs <= nowMs) throw new InputError(field, `the freeze is over already: it ends at ${end}`);
  if (endMs - beginMs > longestOnceMs) {
    throw new InputError(
      field,
      'a freeze lasts at most 366 days; to hold evictions without an end, set a stop',
    );
  }
  return { from: begin, until: end };
}

function endOf(begin: string, duration: string | undefined, timeZone: string | undefined): string {
  if (duration === undefined) throw new InputError('until', 'a freeze needs an end: set until or duration');
  const start = Temporal.Instant.from(begin).toZonedDateTimeISO(timeZone ?? 'UTC');
  const length = readDuration(duration);
  try {
    return instantOf(start.add(length).epochMilliseconds);
  } catch {
    throw new InputError('duration', `${duration} ends after the year 9999; write a shorter one`);
  }
}

function readRecurring(given: GivenWindow, timeZone: string, nowMs: number): FreezeWindow {
  if (given.from === undefined)
    throw new InputError('from', 'a rule needs its first start, such as 2026-11-27T18:00');
  if (given.until !== undefined)
    throw new InputError('until', 'end a rule with UNTIL, such as FREQ=DAILY;UNTIL=20271231T000000Z');
  if (given.duration === undefined)
    throw new InputError('duration', 'a rule needs a duration, such as PT8H or P2DT12H');
  const window = {
    start: readLocal(given.from),
    timeZone,
    duration: readDuration(given.duration).toString(),
    rule: readRule(given.rule!),
  };
  assertUnderstood(window.rule, parsed(window).parts);
  assertOccurs(window, nowMs);
  return window;
}

function readLocal(text: string): string {
  const local = /^[^t]*t[\d:.]+$/i.test(text) ? localOf(text) : undefined;
  if (!local) {
    throw new InputError(
      'from',
      `${text} is not a local time; with a rule write 2026-11-27T18:00 and set timeZone`,
    );
  }
  if (local.year < firstYear || local.year > 9998)
    throw new InputError('from', `the first start is in the year ${firstYear} or later`);
  return local.toString({ smallestUnit: 'second' });
}

function localOf(text: string): Temporal.PlainDateTime | undefined {
  try {
    return Temporal.PlainDateTime.from(text);
  } catch {
    return undefined;
  }
}

function readDuration(text: string): Temporal.Duration {
  let duration: Temporal.Duration;
  try {
    duration = Temporal.Duration.from(text.toUpperCase());
  } catch {
    throw new InputError('duration', `${text} is not a duration; write PT8H, PT30M or P2DT12H`);
  }
  if (duration.years !== 0 || duration.months !== 0)
    throw new InputError(
      'duration',
      `${text}: write weeks, days, hours and minutes; months and years differ in length`,
    );
  if (duration.sign !== 1) throw new InputError('duration', `${text}: a freeze must be longer than 0`);
  return duration;
}

function readRule(text: string): string {
  const rule = text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, '');
  if (rule.length > longestRule) throw new InputError('rule', `a rule has at most ${longestRule} characters`);
  const parts = rule.split(';');
  const unknown = parts.find((part) => !known.test(part));
  if (unknown !== undefined) {
    const time = /^BY(HOUR|MINUTE|SECOND)=/.test(unknown);
    throw new InputError(
      'rule',
      time
        ? `${unknown}: the time of day is that of the first start; set one freeze for each`
        : `${unknown} is not a part of a rule; write FREQ=WEEKLY;BYDAY=FR or FREQ=DAILY`,
    );
  }
  const names = parts.map((part) => part.split('=')[0]);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice) throw new InputError('rule', `${twice} is set twice`);
  const tooOften = parts.find((part) => often.test(part));
  if (tooOften) throw new InputError('rule', `${tooOften}: write DAILY, WEEKLY, MONTHLY or YEARLY`);
  const count = parts.find((part) => part.startsWith('COUNT='));
  if (count && !(Number(count.slice(6)) >= 1 && Number(count.slice(6)) <= mostOccurrences))
    throw new InputError('rule', `${count}: write a number from 1 to ${mostOccurrences}, or UNTIL`);
  return rule;
}

function parsed(window: Extract<FreezeWindow, { rule: string }>): Recurrence {
  const start = Temporal.PlainDateTime.from(window.start).toZonedDateTime('UTC');
  if (
    start.add(Temporal.Duration.from(window.duration)).epochMilliseconds - start.epochMilliseconds >
    longestRecurringMs
  )
    throw new InputError('duration', 'a recurring freeze lasts at most 31 days each time');
  try {
    return new Recurrence(window);
  } catch (error) {
    throw new InputError('rule', `${window.rule}: ${(error as Error).message}`);
  }
}

/** Values that RFC 5545 does not allow are left out silently: 13 of BYMONTH=3,13. */
function assertUnderstood(rule: string, understood: string): void {
  const values = new Map(understood.split(';').map((part) => [part.split('=')[0], part.split(',').length]));
  for (const part of rule.split(';')) {
    const [name = ''] = part.split('=');
    if (name.startsWith('BY') && values.get(name) !== part.split(',').length)
      throw new InputError('rule', `${part} has a value that RFC 5545 does not allow`);
  }
}

/** Also finds the rules whose evaluation takes too many steps. */
function assertOccurs(window: Extract<FreezeWindow, { rule: string }>, nowMs: number): void {
  const freeze = { freeze: '', queue: null, window, by: '', since: instantOf(0) };
  const startMs = Temporal.PlainDateTime.from(window.start).toZonedDateTime(
    window.timeZone,
  ).epochMilliseconds;
  try {
    const recurrence = new Recurrence(window);
    if (recurrence.at(nowMs) || nextInterval(freeze, Math.max(nowMs, startMs))) return;
  } catch {
    // It ends without a result.
  }
  throw new InputError('rule', `${window.rule} has no future occurrence`);
}
