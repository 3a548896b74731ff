import { InputError } from './input-error.js';

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

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/**
 * A file or a body as text, without its byte order mark. UTF-8, or UTF-16 as Windows PowerShell writes it: known by its mark, or by the zero
 * that stands in the first or second byte of each ASCII character (YAML 1.2 §5.2). Other files with such a zero at their beginning stay
 * as they are, for a better error.
 *
 * @param fatal whether bytes that are not of the encoding are an error; else they become U+FFFD.
 * @throws InputError for bytes of another encoding, with what would be right.
 */
export function decodedText(bytes: Uint8Array, { fatal = false }: { fatal?: boolean } = {}): string {
  const [a, b, c, d] = bytes;
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff))
    throw new InputError('', 'it is UTF-32; use UTF-8');
  if (a === 0x1f && b === 0x8b)
    throw new InputError('', 'it is compressed by gzip; unpack it first (gunzip)');
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: fatal || encoding !== 'utf-8' }).decode(bytes);
  } catch {
    const found =
      encoding === 'utf-8'
        ? 'it is not UTF-8'
        : `it begins as ${encoding.toUpperCase()}, but is not valid ${encoding.toUpperCase()}`;
    throw new InputError('', `${found}; use UTF-8`);
  }
}

function encodingOf([a, b, c, d]: Uint8Array): Encoding {
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  // The text of a file begins with two characters of ASCII, or it is none.
  if (a && b === 0 && c && d === 0) return 'utf-16le';
  if (a === 0 && b && c === 0 && d) return 'utf-16be';
  return 'utf-8';
}
