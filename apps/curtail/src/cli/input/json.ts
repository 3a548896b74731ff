import jsonc, { type JSONPath } from 'jsonc-parser';
import { InputError } from '#contracts';
import { asInputError, FileError } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';
import { inputLimits, readText } from './source.js';

/** Reads JSON of one file and processes it: errors name its line. */
export async function withJsonFile<T>(
  path: string,
  terminal: Terminal,
  use: (value: unknown) => T,
  parse: (text: string) => unknown = parseJsonText,
): Promise<T> {
  const text = await readText(path, terminal, inputLimits.fileBytes);
  const name = path === '-' ? '<stdin>' : path;
  try {
    return use(parse(text));
  } catch (error) {
    const fault = asInputError(error);
    if (fault === undefined) throw error;
    throw new FileError(name, placed(fault, text));
  }
}

/** @throws InputError with line and column. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column, tooDeep = false } = jsonFault(text) ?? {};
    const fault = tooDeep ? `more than ${inputLimits.jsonLevels} levels of nesting` : faultOf(error, text);
    throw new InputError('', `not JSON: ${fault}`, line, column);
  }
}

function faultOf(error: unknown, text: string): string {
  if (text.trim() === '') return 'it is empty; write an object';
  const message = error instanceof Error ? error.message : String(error);
  // Line and column give the position; the surrounding text can be long.
  return message
    .replace(/ in JSON at position \d+.*$/s, '')
    .replace(/,? ?(\.\.\.)?".*is not valid JSON$/s, ' is not valid here');
}

/** The error with the position of its field, or of the nearest enclosing field that exists. */
function placed(error: InputError, text: string): InputError {
  if (error.line !== undefined) return error;
  const paths: string[] = [];
  for (let path = error.path; path !== ''; path = path.replace(/(\.|^)[^.[\]]*$|\[\d+\]$/, '')) {
    // The planner's paths start below the snapshot.
    paths.push(path, `snapshot.${path}`);
  }
  const place = paths.length > 0 ? placeInJson(text, paths) : undefined;
  return place === undefined ? error : new InputError(error.path, error.message, place.line, place.column);
}

/** A position in a text; line and column count from 1. */
export interface TextPlace {
  line: number;
  column: number;
}

/** The first fault in a JSON text. */
export interface JsonFault extends TextPlace {
  /** The text is nested more deeply than is searched, so later faults are unknown. */
  tooDeep: boolean;
}

/** Finds the first fault in a JSON text; undefined if there is none. For messages, after a parser has refused the text. */
export function jsonFault(text: string): JsonFault | undefined {
  let fault: JsonFault | undefined;
  walk(text, {
    onFault: (place, tooDeep) => {
      fault = { ...place, tooDeep };
    },
  });
  return fault;
}

/**
 * Position of the value at a path such as `snapshot.queues[3].max.memory` in a JSON text: of the first of the paths that
 * exists. One walk, however many paths.
 */
export function placeInJson(text: string, paths: readonly string[]): TextPlace | undefined {
  const found = new Map<string, TextPlace>();
  walk(text, {
    onValue: (keys, place) => {
      // Builds whole paths only for the few values that match.
      const ending = String(keys.at(-1) ?? '');
      if (!paths.some((path) => path.endsWith(typeof keys.at(-1) === 'number' ? `[${ending}]` : ending)))
        return;
      const path = pathOf(keys);
      if (paths.includes(path) && !found.has(path)) found.set(path, place);
      if (path === paths[0]) throw enough;
    },
  });
  const best = paths.find((path) => found.has(path));
  return best === undefined ? undefined : found.get(best);
}

/** The keys of the top-level object, as far as the text can be parsed: of truncated text, the complete ones. */
export function wholeKeys(text: string): string[] {
  const keys: string[] = [];
  walk(text, {
    onKey: (key, level) => {
      if (level === 1) keys.push(key);
    },
    onFault: () => keys.pop(),
  });
  return keys;
}

interface Walk {
  onValue?(keys: JSONPath, place: TextPlace): void;
  onKey?(key: string, level: number): void;
  /** The first fault, which ends the walk. */
  onFault?(place: TextPlace, tooDeep: boolean): void;
}

/** Ends a walk: the parser has no other way to stop. */
const enough = new Error('the rest is of no interest');

/** Visits every key and every value at its beginning. The parser recurses for each level, so levels are limited. */
function walk(text: string, { onValue, onKey, onFault }: Walk): void {
  let level = 0;
  const fault = (line: number, character: number, tooDeep: boolean) => {
    onFault?.(placeOf(line, character), tooDeep);
    throw enough;
  };
  const begin = (_: number, __: number, line: number, character: number, keys: () => JSONPath) => {
    onValue?.(keys(), placeOf(line, character));
    if (++level > inputLimits.jsonLevels) fault(line, character, true);
  };
  const end = () => {
    level--;
  };
  try {
    jsonc.visit(
      text,
      {
        onObjectBegin: begin,
        onArrayBegin: begin,
        onObjectEnd: end,
        onArrayEnd: end,
        onObjectProperty: (key) => onKey?.(key, level),
        onLiteralValue: (_, __, ___, line, character, keys) => onValue?.(keys(), placeOf(line, character)),
        onError: (_, __, ___, line, character) => fault(line, character, false),
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (error !== enough) throw error;
  }
}

const placeOf = (line: number, character: number): TextPlace => ({ line: line + 1, column: character + 1 });

function pathOf(keys: JSONPath): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }, '');
}
