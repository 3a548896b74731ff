import type { Place } from '#contracts/api';
import { describe, type Entry, type Field, type Mapping, quoted } from '../field.js';
import type { Problems } from '../problems.js';

/** One setting of a Hadoop configuration: name and value trimmed, with the place of the value. */
export interface Property extends Place {
  name: string;
  value: string;
  /** The key has a second value elsewhere, so neither counts; a problem says so. */
  isAmbiguous?: boolean;
}

/** Properties by name. */
export type Properties = ReadonlyMap<string, Property>;

/** Duplicate keys must have equal values: otherwise the effective one would depend on the reader. Such a key has no value that counts. */
export function byName(list: Iterable<Property>, problems: Problems): Map<string, Property> {
  const properties = new Map<string, Property>();
  for (const property of list) {
    const other = properties.get(property.name);
    if (other === undefined) {
      properties.set(property.name, property);
    } else if (other.value !== property.value) {
      const where = other.line === undefined ? '' : `, on line ${other.line}`;
      problems.error(
        property.name,
        `this key occurs twice, with two values (also ${quoted(other.value)}${where}); keep one of them`,
        property,
      );
      properties.set(property.name, { ...other, isAmbiguous: true });
    }
  }
  return properties;
}

/** Lists of properties in JSON, by the names of a list and of the two parts of an item. */
const lists = [
  // GET /ws/v1/cluster/scheduler-conf
  { list: 'property', name: 'name', value: 'value' },
  // GET /conf
  { list: 'properties', name: 'key', value: 'value' },
];

/**
 * A configuration as JSON: names and values in one object, or as YARN answers `GET /ws/v1/cluster/scheduler-conf`
 * (`{"property": [{"name": …, "value": …}]}`, also below `configuration`) and `GET /conf` (`{"properties": [{"key": …, "value": …}]}`), or as
 * Ambari's client writes it (`{"properties": {…}}`).
 */
export function propertiesOfJson(whole: Field, problems: Problems): Property[] {
  const field = mappingAt(whole, 'configuration') ?? whole;
  if (field.kind !== 'mapping') {
    problems.error('', `a configuration is an object of names and values, not ${describe(field)}`, field);
    return [];
  }
  const inside = mappingAt(field, 'properties');
  if (inside !== undefined && !field.entries.has('property')) return pairsOf(inside.entries, problems);
  const form = lists.find(({ list }) => field.entries.has(list));
  if (form === undefined) return pairsOf(field.entries, problems);
  const list = field.entries.get(form.list)!.value;
  const parts = `a ${JSON.stringify(form.name)} and a ${JSON.stringify(form.value)}`;
  if (list.kind === 'scalar') {
    problems.error(
      form.list,
      `a list of objects with ${parts} is expected here, not ${describe(list)}`,
      list,
    );
    return [];
  }
  // YARN writes a single one without the list.
  return (list.kind === 'list' ? list.items : [list]).flatMap((item, index) => {
    const part = (key: string) => (item.kind === 'mapping' ? item.entries.get(key)?.value : undefined);
    const [name, value] = [part(form.name), part(form.value)];
    if (name?.kind === 'scalar' && name.text !== '' && value !== undefined) {
      return propertyOf(name.text, value, problems);
    }
    problems.error(`${form.list}[${index}]`, `a property has ${parts}; write both`, item);
    return [];
  });
}

/** Whether a field has properties of YARN, in a form of `propertiesOfJson`. */
export function hasProperties(whole: Mapping): boolean {
  const own = mappingAt(whole, 'configuration') ?? whole;
  const { entries } = own;
  if (entries.has('property') || [own, mappingAt(own, 'properties')].some(hasYarnNames)) return true;
  const [first] = listAt(entries.get('properties')?.value);
  return first?.kind === 'mapping' && first.entries.has('key') && first.entries.has('value');
}

const hasYarnNames = (field: Mapping | undefined): boolean =>
  [...(field?.entries.keys() ?? [])].some((name) => name.startsWith('yarn.'));

const listAt = (field: Field | undefined): readonly Field[] => (field?.kind === 'list' ? field.items : []);

function mappingAt(field: Field, key: string): Mapping | undefined {
  const value = field.kind === 'mapping' ? field.entries.get(key)?.value : undefined;
  return value?.kind === 'mapping' ? value : undefined;
}

/** Properties of names and values in one object. */
export function pairsOf(entries: Iterable<readonly [string, Entry]>, problems: Problems): Property[] {
  return [...entries].flatMap(([name, { value, isAmbiguous }]) =>
    propertyOf(name, value, problems).map((property) =>
      isAmbiguous ? { ...property, isAmbiguous } : property,
    ),
  );
}

function propertyOf(name: string, value: Field, problems: Problems): Property[] {
  if (value.kind === 'scalar' && value.type !== 'null') {
    return [{ name: name.trim(), value: value.text.trim(), line: value.line, column: value.column }];
  }
  problems.error(name, `a value must be a string, a number, true or false, not ${describe(value)}`, value);
  return [];
}

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
