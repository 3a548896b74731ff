import { at, type Entry, isNull } from '../field.js';
import type { Problems } from '../problems.js';
import { type Attributes, olderNames } from './attributes.js';

export type AttributeValues = Record<string, unknown>;

/**
 * The attributes that have an effect here, by their names here. Others are kept in the text of the configuration, without
 * effect, and listed; null counts as absent. docs/reference/policies/fair-share.md §15
 *
 * @param elsewhere names that other code reads.
 */
export function readAttributes(
  entries: ReadonlyMap<string, Entry>,
  path: string,
  known: Attributes,
  elsewhere: readonly string[],
  problems: Problems,
): AttributeValues {
  const values: AttributeValues = {};
  for (const [written, { key, value }] of entries) {
    if (elsewhere.includes(written)) continue;
    const name = (Object.hasOwn(olderNames, written) ? olderNames[written] : undefined) ?? written;
    const attribute = Object.hasOwn(known, name) ? known[name] : undefined;
    const valuePath = at(path, written);
    if (attribute === undefined && written.startsWith('curtail_')) {
      problems.error(valuePath, 'unknown attribute; a tree can have curtail_protect', key);
    } else if (attribute === undefined) {
      problems.warning('ignored-attribute', valuePath, 'is kept, and has no effect here', key);
    } else if (name !== written && entries.has(name)) {
      problems.error(valuePath, `is the older name of ${name}, which is here too; remove one of them`, key);
    } else if (!isNull(value)) {
      const read = attribute.read(value, valuePath, problems);
      if (read !== undefined) values[attribute.name] = read;
    }
  }
  return values;
}
