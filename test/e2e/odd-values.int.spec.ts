import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { configuration } from '../support/queue-spec.js';

/* Every parameter and every field of a body, with values that PostgreSQL does not hold: they are refused, and never a failure inside. */

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  default?: unknown;
  pattern?: string;
}
interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  schema: Schema;
}
interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

const { paths, components } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** In an address. */
const oddInAddress = [
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%FF',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00.000Z~root.a',
  '0001-01-01T00:00:00%2B14:00',
  '9999-12-31T23:59:59-14:00',
  '300000-01-01T00:00:00Z',
  '%2B300000-01-01T00:00:00Z',
  '-infinity',
  'infinity',
  '2147483648',
  '-2147483649',
  '999999999999999999',
  '9223372036854775807',
  '9223372036854775808',
  '99999999999999999999999',
  '1e400',
  '0x10',
  'NaN',
  '00000000-0000-0000-0000-000000000000',
  `${'9'.repeat(18)}~a~b`,
  'a~inventory~b',
  'timer/00000000-0000-0000-0000-000000000000',
];
const oddTexts = [
  'a\u0000b',
  '\ud800',
  'a\udfff',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  '-infinity',
  '99999999999999999999999',
];
const oddNumbers = [2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e21, 1e300, 0.1, -1];

/** Valid where nothing else is known of it. */
const usual: Record<string, string> = {
  partition: 'default',
  queue: 'root.a',
  path: 'root.a',
  kind: 'queue',
  enforcement: 'e-000000000000',
  consumer: 'timer',
  event: '00000000-0000-0000-0000-000000000000',
  id: 'task-1',
  version: '1',
  position: '1',
  replay: 'r-000000000000',
  prefix: 'a',
};

/** Streams that go on, and work that would take long. */
const atOnce = 4;

const leftOut = new Set(['GET /v1/live']);

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
  const partition = system.partition();
  await partition.configure({ a: { max: { memory: 100 }, delay: '1h' } });
  await system.request(
    'PUT',
    '/v1/partitions/default/config',
    JSON.stringify({
      partitions: [
        {
          name: 'default',
          queues: [{ name: 'root', queues: [{ name: 'a', resources: { max: { memory: 100 } } }] }],
        },
      ],
    }),
  );
});
afterAll(() => system.stop());

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation,
  })),
);

function resolved(schema: Schema): Schema {
  if (schema.$ref) return resolved(components.schemas[schema.$ref.split('/').at(-1)!]!);
  const [first] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  return first ? resolved(first) : schema;
}

/** A value that the schema takes, with all of its fields. */
function sample(given: Schema, name: string, depth = 0): unknown {
  const schema = resolved(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      if (depth > 6) return {};
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, of]) => [key, sample(of, key, depth + 1)]),
      );
    case 'array':
      return schema.items && depth <= 6 ? [sample(schema.items, name, depth + 1)] : [];
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    default:
      return schema.format === 'date-time' ? '2026-11-01T00:00:00Z' : (usual[name] ?? 'a');
  }
}

/** The value with one of its texts or numbers replaced, for each of them and each odd value. */
function* withOdd(value: unknown): Generator<unknown> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    yield* oddTexts;
    yield* oddNumbers;
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const odd of withOdd(item)) yield value.with(index, odd);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value))
      for (const odd of withOdd(item)) yield { ...value, [key]: odd };
    for (const key of ['a\u0000b', '\ud800']) yield { ...value, [key]: 1 };
  }
}

async function ask(method: string, path: string, body?: unknown): Promise<number> {
  const response = await fetch(`${system.url}${path}`, {
    method: method.toUpperCase(),
    ...(body === undefined
      ? {}
      : typeof body === 'string'
        ? { body, headers: { 'content-type': 'application/xml' } }
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  await response.body?.cancel();
  return response.status;
}

/** The address with its parameters; `odd` replaces one of them. */
function addressOf(
  path: string,
  parameters: readonly Parameter[],
  odd?: { name: string; value: string },
): string {
  const written = ({ name, schema }: Parameter) =>
    odd?.name === name ? odd.value : encodeURIComponent(String(sample(schema, name)));
  const filled = parameters
    .filter((of) => of.in === 'path')
    .reduce((address, of) => address.replace(`{${of.name}}`, written(of)), path);
  const query = parameters.filter((of) => of.in === 'query' && of.name === odd?.name);
  return query.length === 0
    ? filled
    : `${filled}?${query.map((of) => `${of.name}=${written(of)}`).join('&')}`;
}

describe('odd values', () => {
  it.each(operations.filter(({ name }) => !leftOut.has(name)))(
    'of $name are no failure',
    async ({ path, method, operation }) => {
      const { parameters = [], requestBody } = operation;
      const failed: string[] = [];
      const schema = requestBody?.content['application/json']?.schema;
      const body = schema ? sample(schema, '') : undefined;
      const asked: { address: string; sent: unknown }[] = [];
      for (const { name, in: where } of parameters) {
        if (where === 'header') continue;
        for (const value of oddInAddress)
          asked.push({ address: addressOf(path, parameters, { name, value }), sent: body });
      }
      if (body !== undefined)
        for (const sent of withOdd(body)) asked.push({ address: addressOf(path, parameters), sent });
      for (let from = 0; from < asked.length; from += atOnce) {
        await Promise.all(
          asked.slice(from, from + atOnce).map(async ({ address, sent }) => {
            const status = await ask(method, address, sent);
            if (status >= 500)
              failed.push(`${status} ${method} ${address} ${JSON.stringify(sent)?.slice(0, 300)}`);
          }),
        );
      }
      expect(failed).toEqual([]);
    },
  );
});

/** What was taken must be readable: a text inside of JSON is rejected only when it is read. */
async function isReadable(): Promise<void> {
  for (const path of [
    '/v1/events?by=ada',
    '/v1/events?user=ada',
    '/v1/notices',
    '/v1/freezes',
    '/v1/kill-switch',
    '/v1/timers',
    '/v1/queues',
    '/v1/status',
    '/v1/dead-letters',
    '/v1/partitions/default/settings',
    '/v1/partitions/default/configurations',
  ])
    expect({ path, status: await ask('GET', path) }).toEqual({ path, status: 200 });
}

describe('what is refused', () => {
  it('is every text that the database does not hold', async () => {
    for (const odd of ['a\u0000b', '\ud800', 'a\udfff']) {
      for (const [method, path, body] of [
        ['POST', '/v1/kill-switch', { by: odd }],
        ['POST', '/v1/kill-switch', { by: 'ada', reason: odd }],
        ['POST', '/v1/freezes', { by: 'ada', duration: 'PT1H', reason: odd }],
        ['PATCH', '/v1/partitions/default/settings', { settings: { protect: { users: [odd] } }, by: 'ada' }],
        ['PUT', '/v1/partitions/default/mode', { mode: 'enforce', by: odd }],
        ['POST', '/v1/enforcements/e-000000000000/cancel', { by: odd }],
        [
          'PUT',
          '/v1/partitions/default/config',
          { partitions: [{ name: 'default', queues: [{ name: odd }] }] },
        ],
        ['PUT', '/v1/partitions/default/config', { partitions: [{ [odd]: 1 }] }],
      ] as const)
        expect({ path, odd, status: await ask(method, path, body) }).toEqual({ path, odd, status: 400 });
    }
    await isReadable();
  });

  it.each(['\\0', '\\uD800', '\\x00'])(
    'is an escape of YAML for one (%s), with its line',
    async (escaped) => {
      const text = `partitions:\n  - name: default\n    queues:\n      - name: root\n        queues:\n          - name: a\n            properties: {curtail.graceSeconds: "1", note: "x${escaped}"}\n`;
      expect(await system.refused('PUT', '/v1/partitions/default/config', text)).toMatchObject({
        status: 422,
        errors: expect.arrayContaining([
          expect.objectContaining({ line: 7, message: expect.stringMatching(/NUL|half of a character/) }),
        ]),
      });
    },
  );

  it.each(['&#0;', '&#xD800;', '&#xDFFF;'])('is a reference of XML to one (%s)', async (reference) => {
    const text = `<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property><property><name>yarn.scheduler.capacity.root.a.acl_submit_applications</name><value>${reference}</value></property><property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property></configuration>`;
    expect(await ask('PUT', '/v1/partitions/xml/config?format=capacity-scheduler', text)).toBe(422);
  });

  it('is a freeze beyond the years of the database', async () => {
    const freeze = { by: 'ada', partition: 'default' };
    for (const window of [
      { from: '0000-01-01T00:00Z', until: '0000-06-01T00:00Z' },
      { from: '9999-12-31T10:00-14:00', until: '9999-12-31T11:00-14:00' },
      { from: '9999-12-31T10:00Z', duration: 'PT24H' },
      { duration: 'PT99999999999999H' },
      { from: '+012000-01-01T00:00Z', duration: 'PT1H' },
    ])
      expect({ window, status: await ask('POST', '/v1/freezes', { ...freeze, ...window }) }).toEqual({
        window,
        status: 400,
      });
    await isReadable();
  });

  it.each(['2562047h', '9223372036854775807'])(
    'is no delay, however long (%s): its clock is due in a year that the database has',
    async (delay) => {
      const partition = system.partition();
      const lowered = (memory: number) =>
        partition.submit(configuration(partition.name, { a: { max: { memory }, delay } }));
      const { status } = await lowered(100);
      expect(status).toBe(200);
      await partition.run({ queue: 'root.a', count: 10, resources: { memory: 10 } });
      await lowered(50);
      await partition.handled();
      const { items } = await system.get<{ items: { dueAt: string }[] }>(
        `/v1/timers?partition=${partition.name}`,
      );
      expect(items).toHaveLength(1);
      expect((await system.get<{ items: unknown[] }>('/v1/dead-letters')).items).toEqual([]);
      expect(await ask('GET', `/v1/status?partition=${partition.name}`)).toBe(200);
    },
  );
});
