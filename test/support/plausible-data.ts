import { z } from 'zod';
import { type EventName } from '#contracts';
import { catalog } from '#contracts/events';

type Schema = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  format?: string;
  pattern?: string;
  minimum?: number;
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
};

/**
 * Data of an event that match its schema, with `known` values wherever a field has one of these names: the names of queues and
 * runs that exist make it plausible.
 */
export function plausibleData(name: EventName, known: Record<string, unknown>): unknown {
  const { schema } = catalog[name];
  const made = make(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema, '', known);
  return schema.parse(made);
}

function make(schema: Schema, name: string, known: Record<string, unknown>): unknown {
  if (schema.const !== undefined) return schema.const;
  if (name in known && schema.type !== 'object' && schema.type !== 'array' && !schema.enum)
    return known[name];
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return make(first, name, known);
  const [type] = [schema.type].flat();
  switch (type) {
    case 'object':
      return makeObject(schema, name, known);
    case 'array':
      return [...(schema.prefixItems ?? []), ...(schema.items ? [schema.items] : [])].map((items) =>
        make(items, name, known),
      );
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return Math.max(schema.minimum ?? 0, 1);
    case 'null':
      return null;
    default:
      // A fraction, such as a share of the cluster.
      if (
        schema.pattern !== undefined &&
        new RegExp(schema.pattern).test('1/2') &&
        !new RegExp(schema.pattern).test('text-1')
      )
        return '1/2';
      return schema.format === 'date-time' ? '2000-01-01T00:00:00.000Z' : `${name || 'text'}-1`;
  }
}

function makeObject(
  { properties, additionalProperties }: Schema,
  name: string,
  known: Record<string, unknown>,
): unknown {
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([inner, schema]) => [inner, make(schema, inner, known)]),
    );
  }
  if (typeof additionalProperties !== 'object') return {};
  return { memory: make(additionalProperties, name, known) };
}
