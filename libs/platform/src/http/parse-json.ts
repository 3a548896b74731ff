import { InputError } from '#contracts';
import { duplicateKey } from './duplicate-key.js';
import { exceeds } from './json-depth.js';
import { placeInText } from './place-in-text.js';

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
