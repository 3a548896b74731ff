import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { catalog, inboundTopics, topics } from '#contracts/events';
import { deadLetterHeaders, deadLettersTopic } from '#messaging/kafka';
import { asyncApi } from '../../scripts/documents/asyncapi/document.js';
import { inboundSchemas } from '../../scripts/documents/event-schemas.js';

const specification = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0.json') as object;

/** A validator's complaints about a document; empty if there are none. */
function faultsOf(document: unknown): string[] {
  // The specification brings its own copy of the meta schema.
  const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
  formats.default(ajv);
  const validate = ajv.compile(specification);
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('docs/reference/asyncapi.json', () => {
  const document = JSON.parse(readFileSync('docs/reference/asyncapi.json', 'utf8'));

  it('is AsyncAPI 3', () => {
    expect(faultsOf(document)).toEqual([]);
    expect(faultsOf({ ...document, channels: { quota: { address: 5 } } })).not.toEqual([]);
  });

  it('has every topic with its events, and that of dead letters', () => {
    const channels: { address: string; messages: Record<string, unknown> }[] = Object.values(
      document.channels,
    );
    const found = channels.map(({ address, messages }) => [address, Object.keys(messages)]);
    const all = [...Object.values(topics), ...Object.values(inboundTopics)];
    const wanted = all.map((topic) => [
      topic,
      Object.entries(catalog).flatMap(([name, event]) => (event.topic === topic ? [name] : [])),
    ]);
    expect(Object.fromEntries(found)).toEqual({
      ...Object.fromEntries(wanted),
      'curtail.dead-letters': ['DeadLetter'],
    });
  });

  it('names the topic and the headers of dead letters as they are', () => {
    expect(document.channels.deadLetters.address).toBe(deadLettersTopic);
    const { properties } = document.components.messages.DeadLetter.headers;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.values(deadLetterHeaders)));
  });

  it('leads nowhere with none of its references', () => {
    const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? [];
    const target = (reference: string) =>
      reference
        .slice(3, -1)
        .split('/')
        .reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], document);
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((reference) => target(reference) === undefined)).toEqual([]);
  });

  it('lists on which topics Curtail sends and on which it receives', () => {
    const operations: { action: string; channel: { $ref: string } }[] = Object.values(
      asyncApi('0').operations as object,
    );
    const received = operations
      .filter(({ action }) => action === 'receive')
      .map(({ channel }) => channel.$ref);
    expect(received.sort()).toEqual([
      '#/channels/configSubmissions',
      '#/channels/evictionsAnswers',
      '#/channels/inventory',
      '#/channels/ownerAnswers',
    ]);
  });
});

describe('docs/reference/inbound.schema.json', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(inboundSchemas(), 'inbound');
  const accepts = (name: string, data: unknown) => ajv.validate(`inbound#/$defs/${name}`, data);
  const started = {
    partition: 'default',
    sequence: 1,
    id: 'a',
    uid: 'u',
    application: 'app',
    queue: 'root.a',
    resources: { memory: 1 },
    startedAt: '2026-11-21T09:00:00Z',
  };

  it('takes and refuses what Curtail does', () => {
    for (const [data, right] of [
      [started, true],
      [{ ...started, colour: 'green' }, true],
      [{ ...started, queue: 'a' }, false],
      [{ ...started, sequence: 0 }, false],
      [{ ...started, startedAt: 'yesterday' }, false],
      [{ ...started, resources: Object.fromEntries([...Array(65).keys()].map((i) => [`t${i}`, 1])) }, false],
    ] as const) {
      expect({ data, right: accepts('AllocationStarted', data) }).toEqual({ data, right });
      expect(catalog.AllocationStarted.schema.safeParse(data).success).toBe(right);
    }
  });
});
