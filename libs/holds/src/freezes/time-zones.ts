import { Temporal } from 'temporal-polyfill';
import { InputError } from '#contracts';

/** RFC 3339, to the millisecond. */
export const instantOf = (ms: number): string => new Date(ms).toISOString();

/**
 * An instant (`2026-12-01T08:00Z`), an instant in a zone (`2026-12-01T08:00[Europe/Berlin]`), or a time of the zone given.
 * A local time that daylight saving skips is the one an hour later; of one that occurs twice the first counts.
 *
 * @throws InputError
 */
export function readInstant(field: string, text: string, timeZone: string | undefined): string {
  try {
    if (text.includes('['))
      return instantOf(Temporal.ZonedDateTime.from(text, { disambiguation: 'compatible' }).epochMilliseconds);
    if (/(z|[+-]\d\d:?\d\d)$/i.test(text)) return instantOf(Temporal.Instant.from(text).epochMilliseconds);
    const local = Temporal.PlainDateTime.from(text);
    if (timeZone !== undefined) return instantOf(inZone(local, timeZone));
  } catch {
    throw new InputError(
      field,
      `${text} is not a time; write 2026-12-01T08:00Z, or 2026-12-01T08:00[Europe/Berlin]`,
    );
  }
  throw new InputError(
    field,
    `${text} has no time zone; write ${text}Z, ${text}[Europe/Berlin], or set timeZone`,
  );
}

/** Milliseconds since 1970 of a local time; daylight saving as for `readInstant`. */
export function inZone(local: Temporal.PlainDateTime, timeZone: string): number {
  return local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
}

/** @throws InputError unless it is a name of the IANA time zone database, such as Europe/Berlin. */
export function readTimeZone(field: string, name: string): string {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    throw new InputError(field, `there is no time zone ${name}; write one such as Europe/Berlin or UTC`);
  }
}
