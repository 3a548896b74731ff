/*
 * What PostgreSQL holds of what others send. Requests, messages of Kafka and configurations are refused by this alone, before anything is
 * written: a text that is stored as a part of JSON may be rejected only by a later read.
 */

/** Undefined: PostgreSQL holds the text. Otherwise why it does not, after the name of the field. */
export function whyNotStorable(text: string): string | undefined {
  if (text.includes('\0')) return 'has the character NUL; leave it out';
  if (/\p{Surrogate}/u.test(text))
    return 'has half of a character (a lone surrogate); write whole characters, or leave it out';
  return undefined;
}

/** Whether a text of JSON can have such texts: it has no other form for them. */
export const mayBeUnstorable = (json: string): boolean => /\\u(0000|d[89a-f])/i.test(json);

/**
 * The first text of a JSON value that PostgreSQL does not hold, a key too.
 *
 * @param path of the value, such as `data`; empty for the whole.
 */
export function findUnstorable(value: unknown, path: string): { path: string; why: string } | undefined {
  if (typeof value === 'string') {
    const why = whyNotStorable(value);
    return why === undefined ? undefined : { path, why };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const why = whyNotStorable(name);
    if (why !== undefined) return { path, why: `has a key that ${why}` };
    const below = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const found = findUnstorable(inner, below);
    if (found) return found;
  }
  return undefined;
}

const earliestMs = Date.parse('0001-01-01T00:00:00Z');
const latestMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether a time, RFC 3339 in any zone, is in the years 1 to 9999 of UTC: PostgreSQL has no year 0, and other years have other notations. */
export function isStorableTime(text: string): boolean {
  const ms = Date.parse(text);
  return ms >= earliestMs && ms <= latestMs;
}
