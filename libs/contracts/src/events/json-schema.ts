import { z } from 'zod';
import { catalog } from './catalog.js';

/**
 * The JSON Schema (draft 2020-12) of all events: one definition a type, named by its CloudEvents type. Checked in as
 * docs/reference/events.schema.json.
 */
export function eventSchemas(): Record<string, unknown> {
  const definitions = Object.entries(catalog).map(([name, { type, topic, schema }]) => {
    const { $schema: _, ...body } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as Record<
      string,
      unknown
    >;
    return [type, { title: name, description: `On ${topic}.`, ...body }];
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Events of Curtail',
    $defs: Object.fromEntries(definitions),
  };
}
