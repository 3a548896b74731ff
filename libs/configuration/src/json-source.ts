import { configurationLimits, textOfNumber, whyNotStorable } from '#contracts';
import { at, type Field } from './field.js';
import type { Problems } from './problems.js';

/**
 * A JSON value as fields, without positions. A JSON number has already lost digits that a double cannot hold; give the text if every
 * digit of a 19-digit delay matters.
 */
export function readJsonValue(value: unknown, problems: Problems): Field | undefined {
  let values = 0;
  let stopped = false;

  const assertStorable = (text: string, path: string) => {
    const why = whyNotStorable(text);
    if (why !== undefined) problems.error(path, why, {});
  };

  const read = (current: unknown, path: string, depth: number): Field => {
    if (stopped) return { kind: 'scalar', type: 'null', text: '' };
    if (depth > configurationLimits.depth || ++values > configurationLimits.values) {
      stopped = true;
      problems.error(
        path,
        depth > configurationLimits.depth
          ? `more than ${configurationLimits.depth} levels of nesting; nest less`
          : `more than ${configurationLimits.values} values`,
        {},
      );
      return { kind: 'scalar', type: 'null', text: '' };
    }
    if (Array.isArray(current)) {
      const items = current.map((item, index) => read(item, `${path}[${index}]`, depth + 1));
      return { kind: 'list', items };
    }
    if (typeof current === 'object' && current !== null) {
      const entries = Object.entries(current).map(([key, item]) => {
        assertStorable(key, path);
        return [key, { key: {}, value: read(item, at(path, key), depth + 1) }] as const;
      });
      return { kind: 'mapping', entries: new Map(entries) };
    }
    if (current === null || current === undefined) return { kind: 'scalar', type: 'null', text: '' };
    assertStorable(String(current), path);
    const type = typeof current === 'boolean' ? 'boolean' : typeof current === 'string' ? 'text' : 'number';
    return { kind: 'scalar', type, text: textOf(current) };
  };

  const field = read(value, '', 0);
  return stopped ? undefined : field;
}

const textOf = (value: unknown): string => (typeof value === 'number' ? textOfNumber(value) : String(value));
