import { BrokenInvariant } from '#contracts';

/** The last moment that an instant with a four-digit year can name. Anything due later is due then. */
export const lastInstantMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const firstInstantMs = Date.parse('0000-01-01T00:00:00.000Z');

/** Milliseconds since 1970 of an RFC 3339 instant. */
export function toMs(instant: string): number {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) throw new BrokenInvariant(`"${instant}" is not an RFC 3339 instant`);
  return ms;
}

/** The instant, to the millisecond, kept inside the years 0 to 9999. docs/reference/policies/quota-decrease.md §2.2 */
export function toInstant(ms: number): string {
  return new Date(Math.min(Math.max(ms, firstInstantMs), lastInstantMs)).toISOString();
}

export function addMs(instant: string, ms: number): string {
  return toInstant(toMs(instant) + ms);
}
