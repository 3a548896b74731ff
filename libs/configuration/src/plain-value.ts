import { describe, type Field } from './field.js';
import type { Problems } from './problems.js';

/** A field as the JSON value that it represents; unset keys (null) are left out. */
export function plainValue(field: Field, path: string, problems: Problems): unknown {
  switch (field.kind) {
    case 'list':
      return field.items.map((item, index) => plainValue(item, `${path}[${index}]`, problems));
    case 'mapping': {
      const values = [...field.entries].flatMap(([key, { value }]) => {
        const plain = plainValue(value, `${path}.${key}`, problems);
        return plain === null ? [] : [[key, plain] as const];
      });
      return Object.fromEntries(values);
    }
    case 'scalar':
      switch (field.type) {
        case 'null':
          return null;
        case 'boolean':
          return field.text.toLowerCase() === 'true';
        case 'text':
          return field.text;
        case 'number': {
          const number = Number(field.text);
          if (Number.isFinite(number)) return number;
          problems.error(path, `${describe(field)} is not a supported number; write digits`, field);
          return 0;
        }
      }
  }
}
