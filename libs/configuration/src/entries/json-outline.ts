import { readJsonValue } from '../json-source.js';
import { isUnusual, readPlainYaml } from '../plain-yaml.js';
import { Problems } from '../problems.js';
import { type EntryStyle, NotOutlined, type Outline } from './entry-style.js';

/** JSON as a text, whose problems have places. A list is between its brackets. */
export const jsonText: EntryStyle = {
  document: (text, key) => outlineOf(text, spaceEnd(text, 0), key),
  entry: outlineOf,
  nextIn:
    (text, { begin, end }) =>
    (at) => {
      const first = spaceEnd(text, at);
      const next = at === begin || first === end ? first : commaEnd(text, first);
      if (next > end || (next === end && first !== end)) throw new NotOutlined();
      if (isUnusual.test(text.slice(at, next))) throw new NotOutlined();
      return next;
    },
  // Behind its closing brace.
  isWhole: () => true,
  fieldOf(own) {
    parsed(own);
    return readPlainYaml(own);
  },
};

/** A JSON value as a text, whose problems have no places. */
export const jsonValue: EntryStyle = {
  ...jsonText,
  fieldOf(own) {
    const problems = new Problems();
    const field = readJsonValue(parsed(own), problems);
    return problems.any ? undefined : field;
  },
};

function parsed(own: string): unknown {
  try {
    return JSON.parse(own);
  } catch {
    throw new NotOutlined();
  }
}

/**
 * The outline of the object at an offset. It only finds where values begin and end: what it skips has to be read as JSON elsewhere.
 *
 * @param key of the list.
 * @throws NotOutlined if there is no object, or a key has an escape, or the list is there twice.
 */
function outlineOf(text: string, at: number, key: string): Outline {
  if (text.charCodeAt(at) !== openBrace) throw new NotOutlined();
  let list: Outline['list'];
  let next = spaceEnd(text, at + 1);
  if (text.charCodeAt(next) === closeBrace) return { end: next + 1 };
  for (;;) {
    const keyEnd = stringEnd(text, next);
    const name = text.slice(next + 1, keyEnd - 1);
    if (name.includes('\\')) throw new NotOutlined();
    const colon = spaceEnd(text, keyEnd);
    if (text.charCodeAt(colon) !== colonUnit) throw new NotOutlined();
    const value = spaceEnd(text, colon + 1);
    const valueEnd = valueEndOf(text, value);
    if (name === key) {
      if (list !== undefined) throw new NotOutlined();
      if (text.charCodeAt(value) === openBracket) list = { begin: value + 1, end: valueEnd - 1 };
    }
    next = spaceEnd(text, valueEnd);
    if (text.charCodeAt(next) === closeBrace) return { end: next + 1, ...(list && { list }) };
    if (text.charCodeAt(next) !== comma) throw new NotOutlined();
    next = spaceEnd(text, next + 1);
  }
}

/** Behind the space and the one comma between two items. @throws NotOutlined if there is anything else. */
function commaEnd(text: string, at: number): number {
  const next = spaceEnd(text, at);
  if (text.charCodeAt(next) !== comma) throw new NotOutlined();
  return spaceEnd(text, next + 1);
}

/** Behind the space that JSON and YAML have in common. */
export function spaceEnd(text: string, at: number): number {
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit !== space && unit !== lineFeed && unit !== carriageReturn) return at;
    at++;
  }
}

function valueEndOf(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === quote) return stringEnd(text, at);
  if (first !== openBrace && first !== openBracket) {
    let end = at;
    while (!endsWord(text.charCodeAt(end))) end++;
    return end;
  }
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === quote) i = stringEnd(text, i) - 1;
    else if (unit === openBrace || unit === openBracket) depth++;
    else if ((unit === closeBrace || unit === closeBracket) && --depth === 0) return i + 1;
  }
  throw new NotOutlined();
}

function stringEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== quote) throw new NotOutlined();
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  throw new NotOutlined();
}

/** NaN is behind the end of the text. */
const endsWord = (unit: number): boolean =>
  Number.isNaN(unit) ||
  unit === comma ||
  unit === closeBrace ||
  unit === closeBracket ||
  unit === space ||
  unit === lineFeed ||
  unit === carriageReturn;

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const quote = 34;
const comma = 44;
const colonUnit = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;
