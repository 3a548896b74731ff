import { z } from 'zod';
import { catalog, inboundTopics, topics } from '#contracts/events';

/**
 * The JSON Schema (draft 2020-12) of all events: one definition a type, under the name of the catalog: names with the dots of
 * CloudEvents types make generators of code write nested packages. Checked in as docs/reference/events.schema.json.
 */
export function eventSchemas(): Record<string, unknown> {
  const definitions = Object.entries(catalog).map(([name, { type, topic, schema }]) => {
    const { $schema: _, ...body } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as Record<
      string,
      unknown
    >;
    return [name, { title: name, description: descriptionOf(type, topic), ...body }];
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Events of Curtail',
    $defs: Object.fromEntries(definitions),
  };
}

/**
 * The JSON Schema (draft 2020-12) of the data that platform services send, and of the requests and notifications they receive. Unknown
 * fields are ignored. Checked in as docs/reference/inbound.schema.json.
 */
export function inboundSchemas(): Record<string, unknown> {
  const theirs: readonly string[] = [...Object.values(inboundTopics), topics.evictionRequests];
  const definitions = Object.entries(catalog)
    .filter(([, { topic }]) => theirs.includes(topic))
    .map(([name, { type, topic, schema }]) => {
      const { $schema: _, ...body } = z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
      return [name, { title: name, description: descriptionOf(type, topic), ...body }];
    });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Data that platform services send to Curtail',
    $defs: Object.fromEntries(definitions),
  };
}

const descriptionOf = (type: string, topic: string) => `The data of ${type}, on ${topic}.`;
