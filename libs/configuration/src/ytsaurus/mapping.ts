import { describe, type Entry, type Field, isNull } from '../field.js';
import type { Problems } from '../problems.js';

export const none: ReadonlyMap<string, Entry> = new Map();

/** The entries of a mapping; nothing at all is none. Undefined, with a problem, for anything else. */
export function mappingOf(
  field: Field,
  path: string,
  problems: Problems,
): ReadonlyMap<string, Entry> | undefined {
  if (isNull(field)) return none;
  if (field.kind === 'mapping') return field.entries;
  problems.error(path, `a mapping is expected here, not ${describe(field)}`, field);
  return undefined;
}
