import { InputError } from '#contracts';
import { asInputError, FileError } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';
import { jsonFault, placeInJson } from './json-text.js';
import { inputLimits } from './limits.js';
import { readText } from './source.js';

/** Reads JSON of one file and processes it: errors name its line. */
export async function withJsonFile<T>(
  path: string,
  terminal: Terminal,
  use: (value: unknown) => T,
  parse: (text: string) => unknown = parseJson,
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
export function parseJson(text: string): unknown {
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
