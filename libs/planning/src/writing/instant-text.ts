const firstInstant = Date.parse('0000-01-01T00:00:00.000Z');
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * A time in milliseconds since 1970 as plans and notices write it. It is kept inside the years that such a text can name: a
 * setting may be so long that no calendar has its end.
 */
export function instantText(instant: number): string {
  return new Date(Math.min(Math.max(instant, firstInstant), lastInstant)).toISOString();
}
