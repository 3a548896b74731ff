import type { Place } from '#contracts/api';
import { at, type Entry, type Field, isNull, type Mapping } from '../field.js';
import type { Problems } from '../problems.js';
import {
  attributesOfCurtail,
  attributesOfPool,
  attributesOfTree,
  limitsOfPool,
  olderNames,
} from './attributes.js';
import { mappingOf, none } from './values.js';

/** A tree or a pool: its attributes and its children, in either notation. */
export interface Node {
  attributes: ReadonlyMap<string, Entry>;
  attributesPath: string;
  children: ReadonlyMap<string, Entry>;
  childrenPath: string;
  /** Whether `yt get` printed it, and so what is below it. */
  isPrinted: boolean;
  place: Place;
}

/** Names that tell attributes from children where neither has a place of its own. */
const attributeNames = new Set([
  ...Object.keys(attributesOfPool),
  ...Object.keys(attributesOfTree),
  ...Object.keys(olderNames),
  ...limitsOfPool,
  ...['config', 'pools', 'parent'],
  ...attributesOfCurtail,
]);

/**
 * Reads `{weight: 2, pools: {…}}`, or the output of `yt get`: `{"$attributes": {"weight": 2}, "$value": {…}}`, and a mapping of children for
 * a node that has none of the attributes asked for. Nothing at all is a node without anything. Undefined, with a problem, for what is neither.
 *
 * @param isBelowPrinted whether `yt get` printed what is above it.
 */
export function nodeOf(
  field: Field,
  path: string,
  problems: Problems,
  isBelowPrinted = false,
): Node | undefined {
  const mapping = mappingOf(field, path, problems);
  if (mapping === undefined) return undefined;
  if (isPrinted(field)) return printedNode(field as Mapping, path, problems);
  if (hasChildrenAlone(mapping, isBelowPrinted)) {
    return {
      attributes: none,
      attributesPath: path,
      children: mapping,
      childrenPath: path,
      isPrinted: true,
      place: field,
    };
  }
  const pools = mapping.get('pools');
  const childrenPath = at(path, 'pools');
  const children = pools === undefined ? none : mappingOf(pools.value, childrenPath, problems);
  return {
    attributes: new Map([...mapping].filter(([name]) => name !== 'pools')),
    attributesPath: path,
    children: children ?? none,
    childrenPath,
    isPrinted: false,
    place: field,
  };
}

function printedNode(field: Mapping, path: string, problems: Problems): Node {
  for (const [key, entry] of field.entries) {
    if (key === '$attributes' || key === '$value') continue;
    problems.error(at(path, key), 'nothing is allowed beside $attributes and $value', entry.key);
  }
  const part = (key: string) => {
    const entry = field.entries.get(key);
    return entry === undefined ? none : (mappingOf(entry.value, join(path, key), problems) ?? none);
  };
  const attributes = part('$attributes');
  const opaque = attributes.get('opaque')?.value;
  if (opaque?.kind === 'scalar' && opaque.text === 'true' && isNull(field.entries.get('$value')?.value)) {
    problems.error(
      path,
      'is printed as opaque, without what is below it; give `yt get` the path of this node',
      field,
    );
  }
  return {
    attributes,
    attributesPath: join(path, '$attributes'),
    children: part('$value'),
    childrenPath: join(path, '$value'),
    isPrinted: true,
    place: field,
  };
}

function hasChildrenAlone(mapping: ReadonlyMap<string, Entry>, isBelowPrinted: boolean): boolean {
  const all = [...mapping];
  return (
    all.every(
      ([name, { value }]) => !attributeNames.has(name) && (value.kind === 'mapping' || isNull(value)),
    ) &&
    (isBelowPrinted || all.some(([, { value }]) => isPrinted(value)))
  );
}

/** As `yt get` prints a node with attributes. */
export function isPrinted(field: Field): boolean {
  return field.kind === 'mapping' && (field.entries.has('$attributes') || field.entries.has('$value'));
}

const join = (path: string, step: string): string => (path === '' ? step : `${path}.${step}`);
