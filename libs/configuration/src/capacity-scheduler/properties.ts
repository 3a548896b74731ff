import { describe, type Field, quoted } from '../field.js';
import type { Problems } from '../problems.js';
import type { Property } from './property.js';

/** Properties by name. */
export type Properties = ReadonlyMap<string, Property>;

/** Duplicate keys must have equal values: otherwise the effective one would depend on the reader. */
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
    }
  }
  return properties;
}

/**
 * A configuration as JSON: names and values in one object, or as YARN answers `GET /ws/v1/cluster/scheduler-conf`,
 * `{"property": [{"name": …, "value": …}]}`.
 */
export function propertiesOfJson(field: Field, problems: Problems): Property[] {
  if (field.kind !== 'mapping') {
    problems.error('', `a configuration is an object of names and values, not ${describe(field)}`, field);
    return [];
  }
  const list = field.entries.get('property')?.value;
  if (list === undefined) {
    return [...field.entries].flatMap(([name, { value }]) => propertyOf(name, value, problems));
  }
  if (list.kind !== 'list') {
    problems.error('property', `a list of {"name", "value"} is expected here, not ${describe(list)}`, list);
    return [];
  }
  return list.items.flatMap((item, index) => {
    const part = (key: string) => (item.kind === 'mapping' ? item.entries.get(key)?.value : undefined);
    const [name, value] = [part('name'), part('value')];
    if (name?.kind === 'scalar' && name.text !== '' && value !== undefined) {
      return propertyOf(name.text, value, problems);
    }
    problems.error(`property[${index}]`, 'a property has a "name" and a "value"; write both', item);
    return [];
  });
}

function propertyOf(name: string, value: Field, problems: Problems): Property[] {
  if (value.kind === 'scalar' && value.type !== 'null') {
    return [{ name: name.trim(), value: value.text.trim(), line: value.line, column: value.column }];
  }
  problems.error(name, `a value must be a string, a number, true or false, not ${describe(value)}`, value);
  return [];
}
