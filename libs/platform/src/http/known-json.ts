import { commonEnds, InputError } from '#contracts';
import { assertStorableJson, parseJson } from './parse-json.js';

/** A changed object that is longer is checked in a thread, with everything around it. */
const mostCharacters = 64 * 1024;

/** Limits of a text, as `JsonQuestion`. */
export interface JsonLimits {
  depth: number;
  values: number;
}

/**
 * Whether a text is what `checkJson` would return for it, because it differs from a text that it has returned in one short object: all values
 * around that are where they were. It takes some milliseconds for each megabyte.
 *
 * @param known returned under the same limits.
 * @returns false for any text of which this is not known, also for one with a fault.
 */
export function isLikeKnownJson(text: string, known: string, { depth, values }: JsonLimits): boolean {
  const same = commonEnds(known, text);
  if (same.begin === text.length && text.length === known.length) return true;
  const { open, separators } = objectsAround(known, same.begin);
  for (const around of open.toReversed()) {
    const [was, is] = [objectAt(known, around.begin), objectAt(text, around.begin)];
    if (was === undefined || is === undefined) return false;
    const rest = text.length - is.end;
    if (rest !== known.length - was.end || rest > same.end) continue;
    if (separators - was.separators + is.separators >= values) return false;
    return isCanonical(text.slice(around.begin, is.end), { depth: depth - around.depth });
  }
  return false;
}

/** As `JSON.stringify` writes it: then it has no space around values, and no key twice. */
function isCanonical(text: string, limits: { depth: number }): boolean {
  try {
    const value = parseJson(text, limits);
    assertStorableJson(text, value);
    return JSON.stringify(value) === text;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** An object, and in how many objects and arrays it is. */
interface Around {
  begin: number;
  depth: number;
}

/** The objects of a text of JSON that begin before an offset and end behind it, and what separates all its values, one less than these. */
function objectsAround(json: string, offset: number): { open: Around[]; separators: number } {
  const levels: { begin: number; isObject: boolean }[] = [];
  let open: Around[] | undefined;
  let separators = 0;
  for (let at = 0; at < json.length; at++) {
    if (at >= offset) open ??= objectsOf(levels);
    const unit = json.charCodeAt(at);
    if (unit === quote) at = endOfString(json, at);
    else if (unit === comma) separators++;
    else if (unit === openBrace || unit === openBracket) {
      separators++;
      levels.push({ begin: at, isObject: unit === openBrace });
    } else if (unit === closeBrace || unit === closeBracket) levels.pop();
  }
  return { open: open ?? objectsOf(levels), separators };
}

const objectsOf = (levels: readonly { begin: number; isObject: boolean }[]): Around[] =>
  levels.flatMap(({ begin, isObject }, depth) => (isObject ? [{ begin, depth }] : []));

/** Where the object that begins at an offset ends, and what separates values in it; undefined if it is too long, or has no end. */
function objectAt(text: string, begin: number): { end: number; separators: number } | undefined {
  let [depth, separators] = [0, 0];
  for (let at = begin; at < begin + mostCharacters && at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfString(text, at);
    else if (unit === comma) separators++;
    else if (unit === openBrace || unit === openBracket) {
      separators++;
      depth++;
    } else if ((unit === closeBrace || unit === closeBracket) && --depth === 0)
      return { end: at + 1, separators };
  }
  return undefined;
}

/** The offset of the quotation mark that ends a string; that of the end of the text where there is none. */
function endOfString(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
