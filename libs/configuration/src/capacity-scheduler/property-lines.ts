import type { Place } from '#contracts/api';
import type { Problems } from '../problems.js';
import type { Property } from './property.js';

/** Whether a text is lines `yarn.…=value`, as Ambari shows and keeps the properties of the Capacity Scheduler. */
export const isPropertyLines = (text: string): boolean =>
  /^\ufeff?(?:\s*(?:[#!].*)?\n)*\s*yarn\.[^\s:=]+\s*=/.test(text.slice(0, 10_000));

/**
 * Properties of lines `name=value`. A backslash at the end of a line continues it, `#` and `!` begin a comment.
 *
 * @param place of each line; the number of the line counts from 1.
 */
export function readPropertyLines(
  text: string,
  problems: Problems,
  place: (line: number) => Place,
): Property[] {
  const properties: Property[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const first = at;
    let line = lines[at]!.trim();
    if (line === '' || /^[#!]/.test(line)) continue;
    while (line.endsWith('\\') && at + 1 < lines.length) line = line.slice(0, -1) + lines[++at]!.trim();
    const equals = line.indexOf('=');
    if (equals > 0) {
      const [name, value] = [line.slice(0, equals).trim(), line.slice(equals + 1).trim()];
      properties.push({ name, value, ...place(first + 1) });
    } else {
      problems.error('', 'a line has a name, an equals sign and a value; write name=value', place(first + 1));
    }
  }
  return properties;
}
