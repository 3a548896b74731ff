import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import type { FreezeWindow } from '#contracts';
import { inZone } from './time-zones.js';

/** Milliseconds since 1970. It contains `from`, and not `until`. */
export interface Interval {
  from: number;
  until: number;
}

export type Recurring = Extract<FreezeWindow, { rule: string }>;

const dayMs = 86_400_000;
export const longestRecurringMs = 31 * dayMs;
/** Offsets of zones, and days with more than 24 hours. */
const marginMs = 2 * dayMs;
const blockMs = 32 * dayMs;
/** A rule that finds nothing within so many periods occurs no more. */
const maxIterations = 2000;

/**
 * Occurrences of a recurring window (RFC 5545, sections 3.3.10 and 3.8.5.3). The rule is evaluated on local times, and
 * each of its results is converted into its zone. A start that daylight saving skips is therefore an hour later, where
 * RFC 5545 omits it: no window is left out. Days of the duration are days of the calendar, hours are hours.
 */
export class Recurrence {
  private readonly rule: RRuleTemporal<Temporal.ZonedDateTime>;
  private readonly duration: Temporal.Duration;
  private readonly timeZone: string;
  private block: { number: number; intervals: Interval[] } | undefined;

  /** @throws RangeError and others for a rule, a duration or a start that is not one. */
  constructor({ start, timeZone, duration, rule }: Recurring) {
    this.timeZone = timeZone;
    this.duration = Temporal.Duration.from(duration);
    this.rule = new RRuleTemporal({
      temporal: Temporal,
      strict: true,
      maxIterations,
      rruleString: `DTSTART:${asUtc(Temporal.PlainDateTime.from(start))}\nRRULE:${withLocalUntil(rule, timeZone)}`,
    });
  }

  /** The rule as it was understood, without values that are none. */
  get parts(): string {
    return /RRULE:(.*)/.exec(this.rule.toString())![1]!;
  }

  /** From the first to the last moment of the occurrences that contain `atMs`; undefined: none does. */
  at(atMs: number): Interval | undefined {
    const covering = this.around(atMs).filter(({ from, until }) => from <= atMs && atMs < until);
    if (covering.length === 0) return undefined;
    return {
      from: Math.min(...covering.map(({ from }) => from)),
      until: Math.max(...covering.map(({ until }) => until)),
    };
  }

  /** The first occurrence that starts at `atMs` or later; undefined: there is none. */
  next(atMs: number): Interval | undefined {
    // The zone may be ahead of UTC: an earlier local time may be a later moment.
    for (let since = new Date(atMs - marginMs), isFirst = true; ; isFirst = false) {
      const found = this.rule.next(since, isFirst);
      if (!found) return undefined;
      const interval = this.intervalOf(found);
      if (interval.from >= atMs) return interval;
      since = new Date(found.epochMilliseconds);
    }
  }

  /** Those that start in the 32 days of a moment, or before and may last until then. */
  private around(atMs: number): Interval[] {
    const number = Math.floor(atMs / blockMs);
    if (this.block?.number !== number) {
      const from = new Date(number * blockMs - longestRecurringMs - marginMs);
      const to = new Date((number + 1) * blockMs + marginMs);
      this.block = { number, intervals: this.rule.between(from, to, true).map((at) => this.intervalOf(at)) };
    }
    return this.block.intervals;
  }

  private intervalOf(occurrence: Temporal.ZonedDateTime): Interval {
    const from = inZone(occurrence.toPlainDateTime(), this.timeZone);
    const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(this.timeZone);
    return { from, until: start.add(this.duration).epochMilliseconds };
  }
}

/** `20261127T180000Z`: a local time as if its zone were UTC. */
function asUtc(local: Temporal.PlainDateTime): string {
  return `${local.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '')}Z`;
}

/** RFC 5545 has UNTIL in UTC where the start has a zone. */
function withLocalUntil(rule: string, timeZone: string): string {
  return rule.replace(/UNTIL=(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, (_, y, mo, d, h, mi, s) => {
    const until = Temporal.Instant.from(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
    return `UNTIL=${asUtc(until.toZonedDateTimeISO(timeZone).toPlainDateTime())}`;
  });
}
