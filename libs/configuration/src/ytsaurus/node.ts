import type { Place } from '@curtail/contracts/api';
import { at, describe, type Entry, type Field, isNull, type Mapping } from '../field.js';
import type { Problems } from '../problems.js';

/** A tree or a pool: its attributes and its children, in either notation. */
export interface Node {
  attributes: ReadonlyMap<string, Entry>;
  attributesPath: string;
  children: ReadonlyMap<string, Entry>;
  childrenPath: string;
  place: Place;
}

const none: ReadonlyMap<string, Entry> = new Map();

/**
 * Reads `{weight: 2, pools: {…}}`, or the output of `yt get`: `{"$attributes": {"weight": 2}, "$value": {…}}`. Nothing at all is
 * a node without anything. Undefined, with a problem, for what is neither.
 */
export function nodeOf(field: Field, path: string, problems: Problems): Node | undefined {
  const mapping = mappingOf(field, path, problems);
  if (mapping === undefined) return undefined;
  if (!isPrinted(field)) {
    const pools = mapping.get('pools');
    const childrenPath = at(path, 'pools');
    const children = pools === undefined ? none : mappingOf(pools.value, childrenPath, problems);
    return {
      attributes: new Map([...mapping].filter(([name]) => name !== 'pools')),
      attributesPath: path,
      children: children ?? none,
      childrenPath,
      place: field,
    };
  }
  for (const [key, entry] of mapping) {
    if (key === '$attributes' || key === '$value') continue;
    problems.error(at(path, key), 'nothing is allowed beside $attributes and $value', entry.key);
  }
  const part = (key: string) => {
    const entry = mapping.get(key);
    return entry === undefined ? none : (mappingOf(entry.value, `${path}.${key}`, problems) ?? none);
  };
  return {
    attributes: part('$attributes'),
    attributesPath: join(path, '$attributes'),
    children: part('$value'),
    childrenPath: join(path, '$value'),
    place: field,
  };
}

/** As `yt get` prints a node with attributes. */
export function isPrinted(field: Field): field is Mapping {
  return field.kind === 'mapping' && (field.entries.has('$attributes') || field.entries.has('$value'));
}

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

const join = (path: string, step: string): string => (path === '' ? step : `${path}.${step}`);
