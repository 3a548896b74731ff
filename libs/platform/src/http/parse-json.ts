import { findUnstorable, InputError, mayBeUnstorable } from '#contracts';

/**
 * Parses the JSON of a request.
 * @throws InputError with line and column, if the parser reports them; also for a key that occurs twice in one object.
 */
export function parseJson(text: string, limits: { depth: number; values?: number }): unknown {
  const exceeded = exceeds(text, limits);
  if (exceeded === 'depth')
    throw new InputError('', `The JSON is nested more than ${limits.depth} levels deep; reduce its nesting.`);
  if (exceeded === 'values')
    throw new InputError('', `The JSON has more than ${limits.values} values; send fewer at once.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const offset = offsetOf(reason, text);
    const what = reason.replace(/ in JSON at position \d+.*$/s, '').replace(/ in JSON$/, '');
    const message = `This is not JSON: ${shortened(what)}.`;
    if (offset === undefined) throw new InputError('', message);
    const { line, column } = placeInText(text, offset);
    throw new InputError('', message, line, column);
  }
  const twice = duplicateKey(text);
  if (twice === undefined) return value;
  const { line, column } = placeInText(text, twice.offset);
  throw new InputError(twice.path, 'this key occurs twice in one object; keep one of them', line, column);
}

/** V8's parser reports the place only in its message. */
function offsetOf(reason: string, text: string): number | undefined {
  const position = /at position (\d+)/.exec(reason)?.[1];
  if (position !== undefined) return Number(position);
  return reason.startsWith('Unexpected end') ? text.length : undefined;
}

/** The parser quotes the input, which may be long. */
function shortened(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}

/**
 * Finds before parsing whether JSON is nested deeper, or has more values, than is permitted: counts brackets and commas outside of strings.
 *
 * @param limits.values keys are not counted.
 */
function exceeds(
  json: string,
  { depth: deepest, values: most = Number.POSITIVE_INFINITY }: { depth: number; values?: number | undefined },
): 'depth' | 'values' | undefined {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
      continue;
    }
    if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > deepest) return 'depth';
      if (++values > most) return 'values';
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++values > most) return 'values';
  }
  return undefined;
}

/** A key that occurs twice in one object of a text of JSON. */
export interface DuplicateKey {
  /** As `alternatives[0].name`. */
  path: string;
  /** Of its second place, in the text. */
  offset: number;
}

/** An object with the keys seen so far, or an array with the index of its current element. */
type Level = { keys: Set<string>; key: string } | { index: number };

/**
 * The first key that occurs twice in an object. `JSON.parse` keeps the last value, and other programs the first: what is meant is unknown.
 *
 * @param json a text that was parsed: it is not checked again.
 */
export function duplicateKey(json: string): DuplicateKey | undefined {
  const levels: Level[] = [];
  /** Whether the next string at this level is a key. */
  let isKey = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    const level = levels.at(-1);
    if (code === quote) {
      const end = endOfString(json, at);
      if (isKey && level !== undefined && 'keys' in level) {
        const raw = json.slice(at, end + 1);
        level.key = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
        if (level.keys.has(level.key)) return { path: pathOf(levels), offset: at };
        level.keys.add(level.key);
        isKey = false;
      }
      at = end;
    } else if (code === openBrace) {
      levels.push({ keys: new Set(), key: '' });
      isKey = true;
    } else if (code === openBracket) {
      levels.push({ index: 0 });
      isKey = false;
    } else if (code === closeBrace || code === closeBracket) {
      levels.pop();
      isKey = false;
    } else if (code === comma && level !== undefined) {
      if ('keys' in level) isKey = true;
      else level.index++;
    }
  }
  return undefined;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

const pathOf = (levels: readonly Level[]): string =>
  levels
    .map((level, depth) => ('keys' in level ? `${depth === 0 ? '' : '.'}${level.key}` : `[${level.index}]`))
    .join('');

/** The line and the column of a place in a text, from 1 on. It makes no copy of the text: a body may have millions of lines. */
export function placeInText(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let from = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', from)) {
    line++;
    from = end + 1;
  }
  return { line, column: offset - from + 1 };
}

/** A long text of JSON that is known to be valid, and has not been parsed here: that could take seconds. It has no white space around its values. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** The value of a body, for routes on which only operators send long ones. */
export const jsonOfBody = (body: unknown): unknown =>
  body instanceof JsonText ? JSON.parse(body.text) : body;

/** A long text of JSON to check; a copy of it goes to the thread. */
export interface JsonQuestion {
  text: string;
  depth: number;
  values: number;
}

/** The text without white space around its values; or its fault, since errors do not come out of a thread as they are. */
export type JsonAnswer =
  | { text: string }
  | { fault: { path: string; message: string; line: number | undefined; column: number | undefined } };

/** Never throws for bad input. */
export function checkJson({ text, ...limits }: JsonQuestion): JsonAnswer {
  try {
    const value = parseJson(text, limits);
    assertStorableJson(text, value);
    return { text: JSON.stringify(value) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { path, message, line, column } = error;
    return { fault: { path, message, line, column } };
  }
}

/**
 * @param value of a JSON text, whose depth is limited.
 * @throws InputError with the path of the field if one of its texts or keys is none that the database holds.
 */
export function assertStorableJson(text: string, value: unknown): void {
  // Nearly every body is searched as a text alone.
  const found = mayBeUnstorable(text) ? findUnstorable(value, '') : undefined;
  if (found) throw new InputError(found.path, found.why);
}
