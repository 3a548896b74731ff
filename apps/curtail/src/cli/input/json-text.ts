import jsonc, { type JSONPath } from 'jsonc-parser';
import { inputLimits } from './limits.js';

/** A place in a text; line and column count from 1. */
export interface TextPlace {
  line: number;
  column: number;
}

/** Where a JSON text goes wrong. */
export interface JsonFault extends TextPlace {
  /** It is nested deeper than is read here, and whether it goes wrong further on is not known. */
  tooDeep: boolean;
}

/** Where a JSON text goes wrong; undefined if it does not. For messages: a parser has refused the text already. */
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
 * Where the value at a path such as `snapshot.queues[3].max.memory` stands in a JSON text: the first of the paths that is
 * there. One walk, whatever the number of paths.
 */
export function placeInJson(text: string, paths: readonly string[]): TextPlace | undefined {
  const found = new Map<string, TextPlace>();
  walk(text, {
    onValue: (keys, place) => {
      // Most values are of no interest; the whole path is put together only for the others.
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

/** The keys of the object that a JSON text is, as far as it can be read: of a text that is cut off, those that are whole. */
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

/** Ends a walk: the parser knows no other way. */
const enough = new Error('the rest is of no interest');

/** Every key and every value as it begins. The parser calls itself for each level, so levels are limited. */
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
