import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '#event-store';
import { linkFor, readSettings } from '#platform';
import { curtailSettings } from '#runtime';
import { createMigratedDatabase } from '../support/database.js';
import { described, EmbeddedSystem } from '../support/embedded-system.js';
import { TestKafka } from '../support/kafka.js';
import { withPastMonths } from '../support/past-months.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';
import type { TestPartition } from '../support/test-partition.js';

const document = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as {
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: { examples: unknown[] } }> } }>
  >;
};

let system: EmbeddedSystem;
let partition: TestPartition;
/** Runs that wait for approval because of their size. */
let runs: string[];

const ok = async (method: string, path: string, body?: unknown) => {
  const answer = await system.request<{ items: Record<string, string>[]; next?: string; body?: string }>(
    method,
    path,
    body,
  );
  expect({ path, status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body;
};

beforeAll(async () => {
  system = await EmbeddedSystem.start({ approveAboveVictims: 0 });
  partition = system.partition();
  const names = ['a', 'b', 'c'];
  await partition.run(
    ...names.map((name) => ({ queue: `root.${name}`, count: 3, resources: { memory: 10 } })),
  );
  const queues = (max: number) =>
    Object.fromEntries(names.map((name) => [name, { max: { memory: max }, delay: '20ms' }]));
  await partition.configure(queues(100));
  await ok('PUT', `/v1/partitions/${partition.name}/config?dryRun=true`, configurationOf(queues(20)));
  await partition.configure(queues(20));
  runs = await Promise.all(
    names.map(async (name) => (await partition.event('EnforcementOpened', `root.${name}`)).data.enforcement),
  );
  await partition.handled();
});
afterAll(() => system.stop());

const configurationOf = (queues: object) => ({
  partitions: [
    {
      name: partition.name,
      preemption: { quotapreemptionenabled: true },
      queues: [
        {
          name: 'root',
          queues: Object.entries(queues).map(([name, { max, delay }]) => ({
            name,
            resources: { max },
            properties: { 'quota.preemption.delay': delay },
          })),
        },
      ],
    },
  ],
});

describe('each operation of the API answers as the document says', () => {
  it('queries and explanations', async () => {
    const of = `partition=${partition.name}`;
    const lists = ['queues', 'timers', 'rounds', 'pools', 'operations', 'enforcements', 'plans', 'notices'];
    for (const list of [...lists, 'allocations', 'applications', 'events'])
      await ok('GET', `/v1/${list}?${of}`);
    for (const path of ['/healthz', '/readyz', '/v1/log/partitions', '/v1/log/verification'])
      await ok('GET', path);
    await ok('GET', `/v1/status?${of}`);
    await ok('GET', `/v1/queues/root.a?${of}`);
    await ok('GET', `/v1/queues/root.a/explanation?${of}`);
    await ok('GET', `/v1/queues/root.a/history?${of}&since=2026-01-01T00:00:00Z`);
    await ok('GET', `/v1/allocations/a-1?${of}`);
    await ok('GET', `/v1/allocations/a-1/explanation?${of}`);
    await ok('POST', '/v1/allocations/a-1/link', { partition: partition.name, days: 1 });
    await ok('GET', `/v1/victims?${of}&user=ann`);
    for (const path of ['/v1/access', '/v1/login', '/v1/whoami', '/v1/keys']) await ok('GET', path);
    await ok('GET', '/v1/audit?since=2026-01-01T00:00:00Z');
    const { items } = await ok('GET', `/v1/events?${of}&limit=1`);
    expect(await ok('GET', `/v1/events/${items[0]!.id}`)).toEqual(items[0]);
    await ok('GET', `/v1/events/at/${items[0]!.position}`);
    for (const run of runs) {
      await ok('GET', `/v1/enforcements/${run}`);
      await ok('GET', `/v1/enforcements/${run}/explanation`);
      await ok('GET', `/v1/enforcements/${run}/timeline`);
      await ok('GET', `/v1/plans/${run}`);
    }
    await ok('GET', `/v1/partitions/${partition.name}/config`);
    const entry = `/v1/partitions/${partition.name}/queues/root.a/config`;
    const { body } = await ok('GET', entry);
    await ok('PUT', `${entry}?dryRun=true`, body);
    const configurations = `/v1/partitions/${partition.name}/configurations`;
    const versions = await ok('GET', configurations);
    const { version } = versions.items[0]!;
    await ok('GET', `${configurations}/${version}`);
    await ok('POST', `${configurations}/${version}/rollback?dryRun=true`);
    await ok('GET', '/v1/feeds');
    await ok('GET', `/v1/foreseen?partition=${partition.name}&user=ann`);
    await ok('GET', '/v1/report?since=2026-01-01T00:00:00Z&by=user');
    await ok('GET', '/v1/partitions');
    await ok('GET', `/v1/partitions/${partition.name}`);
    await ok('GET', `/v1/partitions/${partition.name}/mode`);
    const settings = `/v1/partitions/${partition.name}/settings`;
    await ok('PATCH', settings, {
      settings: { victimsPerSecond: 5, protect: { users: ['ann'] } },
      by: 'ada',
    });
    await ok('GET', `${settings}?queue=root.a`);
    await ok('GET', `/v1/names/allocation?prefix=a&${of}`);
  });

  it('the log as it is written', async () => {
    const over = new AbortController();
    const path = `/v1/live?partition=${partition.name}`;
    const answer = await fetch(system.url + path, { signal: over.signal });
    const first = new TextDecoder().decode((await answer.body!.getReader().read()).value);
    over.abort();
    const type = answer.headers.get('content-type') ?? '';
    described.check('GET', path, { status: answer.status, type, body: first });
    expect(first).toMatch(/^id: \d+-\d+\ndata: \[\]\n\n$/);
    const wrong = await system.request<{ detail?: string }>('GET', `${path}&from=yesterday`);
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
      400,
      expect.stringContaining('Last-Event-ID'),
    ]);
  });

  it('lists by their filters', async () => {
    const of = `partition=${partition.name}`;
    const count = async (path: string) => (await ok('GET', path)).items.length;
    expect(await count(`/v1/enforcements?${of}&state=waiting&policy=quota-decrease`)).toBe(3);
    expect(await count(`/v1/events?${of}&enforcement=${runs[0]}&type=PlanComputed`)).toBe(1);
    expect(await count(`/v1/events?${of}&by=nobody`)).toBe(0);
    expect(await count(`/v1/events?${of}&user=nobody`)).toBe(0);
    expect(await count(`/v1/events?${of}&until=2020-01-01T00:00:00Z`)).toBe(0);
    expect(await count(`/v1/enforcements?${of}&state=executing`)).toBe(0);
    expect(await count(`/v1/enforcements?${of}&policy=intra-queue`)).toBe(0);
    expect(await count(`/v1/plans?${of}&policy=quota-decrease`)).toBe(3);
    expect(await count(`/v1/plans?${of}&policy=fair-share`)).toBe(0);
    expect(await count(`/v1/plans?${of}&since=2100-01-01T00:00:00Z`)).toBe(0);
    expect(await count(`/v1/rounds?${of}&policy=fair-share`)).toBe(0);

    const clocks = system.partition();
    await clocks.configure({
      a: { max: { memory: 9 }, delay: '1h' },
      b: { max: { memory: 9 }, delay: '1h' },
    });
    await clocks.event('EnforcementScheduled', 'root.b');
    const timers = `/v1/timers?partition=${clocks.name}`;
    expect(await count(timers)).toBe(2);
    expect(await count(`${timers}&policy=quota-decrease&state=pending`)).toBe(2);
    expect(await count(`${timers}&policy=fair-share`)).toBe(0);
    expect(await count(`${timers}&state=suspended`)).toBe(0);
  });

  it('page by page, while others write', async () => {
    const paged = system.partition();
    const names = Array.from({ length: 12 }, (_, index) => `q${String(index).padStart(2, '0')}`);
    const queues = (more: string[]) =>
      Object.fromEntries([...names, ...more].map((name) => [name, { max: { memory: 9 }, delay: '1h' }]));
    await paged.configure(queues([]));
    for (const name of names) await paged.event('EnforcementScheduled', `root.${name}`);
    for (const [list, name] of [
      ['events', 'position'],
      ['queues', 'queue'],
      ['timers', 'queue'],
    ] as const) {
      const address = `/v1/${list}?partition=${paged.name}&limit=3`;
      const before = await ok('GET', `/v1/${list}?partition=${paged.name}&limit=1000`);
      const seen: string[] = [];
      let added = 0;
      for (let after: string | undefined; ; ) {
        const page: { items: Record<string, string>[]; next?: string } = await ok(
          'GET',
          after === undefined ? address : `${address}&after=${encodeURIComponent(after)}`,
        );
        seen.push(...page.items.map((item) => String(item[name])));
        after = page.next;
        if (after === undefined) break;
        // Before, between and behind those that are there.
        const more = `${['a', 'q05x', 'z'][added % 3]}-${list}-${added++}`;
        await paged.configure(queues([more]));
        await paged.event('EnforcementScheduled', `root.${more}`);
      }
      const there = before.items.map((item) => String(item[name]));
      const once = seen.filter((one) => there.includes(one));
      const stays = list === 'events' ? there : there.filter((one) => /^root(\.q\d\d)?$/.test(one));
      expect({ list, missing: stays.filter((one) => !once.includes(one)) }).toEqual({ list, missing: [] });
      expect({ list, twice: seen.filter((one, index) => seen.indexOf(one) !== index) }).toEqual({
        list,
        twice: [],
      });
    }
  });

  it('commands of operators', async () => {
    const [first, second, third] = runs;
    await ok('POST', `/v1/enforcements/${first}/approve`, { by: 'ann' });
    await ok('POST', `/v1/enforcements/${second}/reject`, { by: 'ann', reason: 'not now' });
    await ok('POST', `/v1/enforcements/${third}/cancel`, { by: 'ann' });
    await partition.ended('root.a');
    const [version] = (await ok('GET', `/v1/partitions/${partition.name}/configurations?limit=1`)).items;
    const change = `/v1/partitions/${partition.name}/configurations/${version!.version}`;
    await ok('GET', `${change}/effect`);
    await ok('POST', `${change}/reject`, { by: 'ann', reason: 'not now' });
    await ok('POST', `${change}/approve`, { by: 'ann' });
    await ok('POST', '/v1/kill-switch', { partition: partition.name, reason: 'a look' });
    await ok('GET', '/v1/kill-switch');
    await ok('DELETE', `/v1/kill-switch?partition=${partition.name}`);
    await ok('POST', '/v1/answers', {
      ...{ partition: partition.name, allocation: 'a-1', answer: 'checkpointed' },
    });
    await ok('POST', '/v1/freezes', { partition: partition.name, queue: 'root.a', duration: 'PT1H' });
    await ok('POST', '/v1/freezes', {
      ...{ partition: partition.name, queue: 'root.x', from: '2026-11-27T18:00', duration: 'P2DT12H' },
      allowUnknown: true,
      ...{ rule: 'FREQ=WEEKLY;BYDAY=FR', timeZone: 'Europe/Berlin' },
    });
    await ok('GET', `/v1/freezes?partition=${partition.name}`);
    await ok('DELETE', `/v1/freezes?partition=${partition.name}`);
    await ok('PUT', `/v1/partitions/${partition.name}/mode`, { mode: 'observe' });
  });

  it('previews and requests of runs', async () => {
    const other = system.partition();
    await other.configure({ a: { max: { memory: 10 }, delay: '1s' } });
    await other.event('EnforcementCancelled', 'root.a');
    await other.run({ queue: 'root.a', count: 2, resources: { memory: 10 } });
    await ok('GET', `/v1/partitions/${other.name}/queues/root.a/preview`);
    await ok('POST', '/v1/what-if', {
      partition: other.name,
      alternatives: [{ name: 'half', quotas: [{ queue: 'root.a', max: { memory: '50G' } }] }],
    });
    await ok('POST', '/v1/queues/root.a/enforce', { partition: other.name });
  });

  it('plans of what clients send', async () => {
    const example = readFileSync(new URL('../../examples/case.json', import.meta.url), 'utf8');
    await ok('POST', '/v1/plans/preview', JSON.parse(example));
  });

  it('the simulated cluster', async () => {
    const { name } = system.partition();
    const simulated = `/v1/partitions/${name}/simulated`;
    await ok('POST', `${simulated}/load`, { queues: 2, allocations: 20, nodes: 2 });
    await ok('DELETE', simulated);
    const spec = { queues: 2, allocations: 20, nodes: 2 };
    const streamed = await system.request('POST', `${simulated}/load`, spec, 'application/x-ndjson');
    expect(streamed.type).toContain('application/x-ndjson');
    for (const path of ['', '/queues', '/applications']) await ok('GET', simulated + path);
    await ok('DELETE', simulated);
    await ok('POST', `${simulated}/scenario`, {
      nodes: [],
      applications: [],
      replace: true,
    });
    await ok('POST', `${simulated}/sample`);
  });

  it('replays and archives', async () => {
    const done = await ok('POST', '/v1/replays', { into: 'digest' });
    const { items } = await ok('GET', '/v1/replays');
    const replay = items[0]!.replay;
    expect(done).toEqual({ replay, result: items[0]!.result });
    await ok('GET', `/v1/replays/${replay}`);
    await ok('DELETE', `/v1/replays/${replay}`);
  });

  it('dead letters', async () => {
    const [{ id, topic }] = await system.db.query<[{ id: string; topic: string }]>(
      "SELECT id, topic FROM events WHERE topic LIKE '%quota%' LIMIT 1",
    );
    const put = (consumer: string) =>
      system.db.query(
        `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason)
         VALUES ($1, $2, $3, 'root.a', 'io.curtail.quota.changed.v1', 'a slip')`,
        [consumer, id, topic],
      );
    await put('planner');
    await put('executor');
    await ok('GET', '/v1/dead-letters');
    await ok('GET', `/v1/dead-letters/planner/${id}`);
    await ok('POST', '/v1/dead-letters/retry', { consumer: 'planner', event: id });
    await ok('POST', '/v1/dead-letters/discard', { consumer: 'executor', event: id, reason: 'known' });
  });

  it('of a system with Kafka, reports and archives', async () => {
    const database = await createMigratedDatabase();
    const db = await openDatabase(database.url);
    await withPastMonths(db, 3);
    const shape = onOwnKafkaAndRedis();
    const { kafkaBrokers, kafkaTopicPrefix, redisUrl } = readSettings(curtailSettings, shape);
    const servers = { kafkaBrokers, kafkaTopicPrefix, redisUrl };
    const receiver = createServer((_, response) => response.writeHead(204).end());
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const other = await EmbeddedSystem.start(
      { ...servers, cluster: 'inventory', archiveDir: tmpdir(), webhookUrl, webhookSecret: [secret] },
      database,
    );
    const kafka = new TestKafka(shape.CURTAIL_KAFKA_TOPIC_PREFIX!);
    try {
      await db.query(
        `INSERT INTO inventory_partitions (partition, last_report_at, held_sequence, held_since, held_drops, held_of)
         VALUES ('default', now(), 7, now(), 0, 0)`,
      );
      await other.get('/v1/inventory');
      const commands: [string, object][] = [
        ['/v1/inventory/accept', {}],
        ['/v1/inventory/reset', {}],
        ['/v1/log/archive', { before: new Date().toISOString(), dryRun: true }],
        ['/v1/republications', { topic: 'curtail.control', dryRun: true }],
        ['/v1/webhook/test', {}],
        ['/v1/webhook/resend', {}],
      ];
      for (const [path, body] of commands) {
        expect({ path, ...(await other.request('POST', path, body)) }).toMatchObject({
          ...{ status: 200, type: expect.stringMatching(/^application\/json/) },
        });
      }
      for (const [path, body] of commands.filter(([path]) => /archive|republications/.test(path))) {
        expect({
          path,
          ...(await other.request('POST', path, body, 'application/x-ndjson')),
        }).toMatchObject({ status: 200, type: expect.stringMatching(/^application\/x-ndjson/) });
      }
    } finally {
      await other.stop();
      receiver.closeAllConnections();
      receiver.close();
      await kafka.close();
      await db.destroy();
      await database.drop();
    }
  });

  it('links by which owners read one explanation, and nothing else', async () => {
    const token = 'correct-horse-battery';
    const other = await EmbeddedSystem.start({ token });
    const send = async (method: string, path: string, bearer: string) => {
      const answer = await fetch(other.url + path, {
        method,
        headers: { authorization: `Bearer ${bearer}` },
      });
      const [type, body] = [answer.headers.get('content-type') ?? '', JSON.parse(await answer.text())];
      described.check(method, path, { status: answer.status, type, body });
      return { status: answer.status, body };
    };
    try {
      await other.db.query(
        `INSERT INTO read_runs (enforcement, partition, queue, state, updated_at, policy, victims, evicted)
         VALUES ('e-1', 'default', 'root.a', 'ended', now(), 'quota-decrease', 2, 2)`,
      );
      await other.db.query(
        `INSERT INTO read_victims (enforcement, allocation, partition, queue, application, rank, resources, reason, state, updated_at)
         SELECT 'e-1', name, 'default', 'root.a', 'app', 1, '{}', 'it is the youngest', 'evicted', now()
         FROM unnest('{mine,theirs}'::text[]) name`,
      );
      const made = await send('POST', '/v1/allocations/mine/link', token);
      const link = made.body.path.slice('/ui/explained#'.length);
      const read = await send('GET', '/v1/explained', link);
      expect(read).toMatchObject({
        status: 200,
        body: { allocation: 'mine', chosen: [{ reason: 'it is the youngest', run: { victims: 2 } }] },
      });
      expect(read.body.expiresAt).toBe(made.body.expiresAt);

      for (const [method, path] of [
        ['GET', '/v1/allocations/theirs/explanation'],
        ['GET', '/v1/queues'],
        ['GET', '/v1/live'],
        ['GET', '/V1/explained'],
        ['POST', '/v1/explained'],
        ['POST', '/v1/allocations/mine/link'],
        ['DELETE', '/v1/allocations/mine/link'],
        ['POST', '/v1/kill-switch'],
      ] as const)
        expect({ method, path, ...(await send(method, path, link)) }).toMatchObject({
          method,
          path,
          status: 401,
        });

      const mine = { partition: 'default', allocation: 'mine', madeAt: '2026-01-01T00:00:00.000Z' };
      const theirs = (await send('POST', '/v1/allocations/theirs/link', token)).body.path.split('#')[1];
      expect(await send('DELETE', '/v1/allocations/mine/link?by=ada', token)).toMatchObject({ status: 200 });
      expect(await send('GET', '/v1/explained', link)).toMatchObject({
        ...{ status: 410, body: { type: 'urn:curtail:problem:link-revoked' } },
      });
      const before = linkFor(token, { ...mine, expiresAt: made.body.expiresAt });
      expect((await send('GET', '/v1/explained', before)).status).toBe(410);
      expect((await send('GET', '/v1/explained', theirs)).status).toBe(200);
      const later = (await send('POST', '/v1/allocations/mine/link', token)).body.path.split('#')[1];
      expect((await send('GET', '/v1/explained', later)).status).toBe(200);
      const forged = linkFor('other-horse-battery', { ...mine, expiresAt: made.body.expiresAt });
      const past = linkFor(token, { ...mine, expiresAt: '2026-01-01T00:00:00.000Z' });
      expect((await send('GET', '/v1/explained', forged)).status).toBe(401);
      expect((await send('GET', '/v1/explained', past)).status).toBe(410);
      expect((await send('GET', '/v1/explained', token)).status).toBe(404);
      const often = await Promise.all(Array.from({ length: 20 }, () => send('GET', '/v1/explained', later)));
      expect(often.some(({ status }) => status === 429)).toBe(true);
    } finally {
      await other.stop();
    }
  });

  it('configurations in each content type that the document has, as its examples', async () => {
    const { requestBody } = document.paths['/v1/partitions/{partition}/config']!.put!;
    const types = Object.entries(requestBody!.content);
    expect(types.map(([type]) => type).sort()).toEqual([
      'application/json',
      'application/x-yt-yson-text',
      'application/xml',
      'application/yaml',
      'text/plain',
    ]);
    const { name } = system.partition();
    for (const [type, { schema }] of types) {
      for (const example of schema.examples) {
        const partition = type === 'application/x-yt-yson-text' ? 'physical' : name;
        const text =
          typeof example === 'string' && type !== 'application/json' ? example : JSON.stringify(example);
        const answer = await fetch(`${system.url}/v1/partitions/${partition}/config?dryRun=true`, {
          method: 'PUT',
          headers: { 'content-type': type },
          body: text.replaceAll('default', name),
        });
        const got = { type, status: answer.status, body: (await answer.json()) as { faults?: unknown } };
        expect(got).toMatchObject({ type, status: 200, body: { partition } });
      }
    }
  });

  it('refusals', async () => {
    await system.refused('GET', '/v1/queues?limit=0');
    await system.refused('POST', '/v1/webhook/test');
    await system.refused('GET', '/v1/rounds?queue=root.a');
    await system.refused('GET', '/v1/queues/root.nosuch');
    // Without a token there are no links.
    expect((await system.refused('DELETE', '/v1/allocations/a-1/link')).status).toBe(409);
    await system.refused('POST', '/v1/enforcements/e-none/approve');
    await system.refused('POST', '/v1/republications', { topic: 'curtail.control' });
    await system.refused('PUT', `/v1/partitions/${partition.name}/config`, { partitions: [] });
  });

  // The last test: it judges what the others did.
  it('and none is left out', () => {
    expect(described.names.filter((name) => !described.succeeded.has(name))).toEqual([]);
  });
});
