import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { QueueView } from '#contracts/api';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { configuration } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
let folder: string;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
  folder = await mkdtemp(join(tmpdir(), 'curtail-conditional-'));
});
afterAll(async () => {
  await system.stop();
  await rm(folder, { recursive: true });
});

describe('a configuration that replaces a certain version', () => {
  let partition: TestPartition;
  beforeEach(() => {
    partition = system.partition();
  });
  const limited = (memory: number) => configuration(partition.name, { a: { max: { memory } }, b: {} });
  const put = async (memory: number, headers: Record<string, string> = {}) => {
    const response = await fetch(`${system.url}/v1/partitions/${partition.name}/config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(limited(memory)),
    });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, tag: response.headers.get('etag')!, body };
  };
  const inForce = async () => {
    const response = await fetch(`${system.url}/v1/partitions/${partition.name}/config`);
    return { tag: response.headers.get('etag'), body: JSON.stringify(await response.json()) };
  };

  it('comes into force while that version is', async () => {
    const first = await put(100, { 'if-none-match': '*' });
    expect(first).toMatchObject({ status: 200, tag: `"${first.body.version}"` });
    expect((await inForce()).tag).toBe(first.tag);
    const second = await put(50, { 'if-match': first.tag });
    expect(second.status).toBe(200);
    expect((await inForce()).tag).toBe(second.tag);
  });

  it('is refused once another one is, with what changed meanwhile', async () => {
    const first = await put(100);
    const second = await put(50);
    const { status, tag, body } = await put(10, { 'if-match': first.tag });
    expect({ status, tag, type: body.type }).toEqual({
      status: 412,
      tag: second.tag,
      type: expect.stringContaining('configuration-changed'),
    });
    expect(body.detail).toBe(
      `The configuration was to replace version ${first.body.version}, and version ${second.body.version} is in force. ` +
        'Meanwhile the quotas of these queues changed: root.a. Nothing was changed.',
    );
    expect((await inForce()).tag).toBe(second.tag);
    expect((await put(10, { 'if-none-match': '*' })).status).toBe(412);
  });

  it('is one of two that were sent at once', async () => {
    const { tag } = await put(100);
    const both = await Promise.all([put(50, { 'if-match': tag }), put(60, { 'if-match': tag })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it.each([
    ['If-Match', 'W/"1"'],
    ['If-Match', '*'],
    ['If-None-Match', '"1"'],
  ])('is refused with the header %s: %s, which names the header', async (name, value) => {
    const { status, body } = await put(100, { [name]: value });
    expect({ status, path: body.path ?? (body.errors as { path: string }[])?.[0]?.path }).toEqual({
      status: 400,
      path: name,
    });
  });

  it('is applied from the command line with its version', async () => {
    const file = join(folder, 'queues.json');
    await writeFile(file, JSON.stringify(limited(100)));
    const apply = (version: number) =>
      curtail(['--server', system.url, 'apply', '-f', file, '--if-version', String(version)]);
    expect((await apply(7)).stderr).toContain('was to replace version 7, and none is in force');
    const { status, stdout } = await apply(0);
    expect(status).toBe(0);
    const { version } = JSON.parse(stdout) as { version: number };
    expect((await apply(version)).status).toBe(0);
  });
});

describe('a configuration that lacks queues of the one in force', () => {
  it('is refused where they have to stay, with their work, and removes them once confirmed', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.b', count: 2, resources: { memory: 20e9 } });
    const put = async (queues: Parameters<typeof configuration>[1], query = '', headers = {}) => {
      const response = await fetch(`${system.url}/v1/partitions/${partition.name}/config${query}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(configuration(partition.name, queues)),
      });
      const body = (await response.json()) as { type?: string; errors?: object[]; version: number };
      return { ...body, status: response.status, tag: `"${body.version}"` };
    };
    const first = await put({ a: {}, b: {}, c: {} }, '?removeQueues=false');
    expect(first.status).toBe(200);
    const refused = await put({ a: {} }, '?removeQueues=false');
    expect(refused).toMatchObject({
      status: 409,
      tag: first.tag,
      type: 'urn:curtail:problem:queues-would-be-removed',
      errors: [
        { path: 'root.b', message: 'would be removed; work runs there that uses 40 GB memory' },
        { path: 'root.c', message: 'would be removed; no work runs there' },
      ],
    });
    const other = await put({ a: {}, b: {}, c: {}, d: {} });
    const confirmed = '?removeQueues=true';
    expect((await put({ a: {} }, confirmed, { 'if-match': refused.tag })).status).toBe(412);
    // Without a word about it, queues that hold work stay.
    const unsaid = await put({ a: {} }, '', { 'if-match': other.tag });
    expect(unsaid).toMatchObject({
      status: 409,
      type: 'urn:curtail:problem:queues-would-be-removed',
      detail: expect.stringContaining('1 queue that holds work would be removed'),
      remedy: expect.stringContaining('removeQueues=true'),
      errors: [{ path: 'root.b', message: 'would be removed; work runs there that uses 40 GB memory' }],
    });
    expect((await put({ a: {} }, '?removeQueues=perhaps')).status).toBe(400);
    const withoutEmpty = await put({ a: {}, b: {} });
    expect(withoutEmpty.status).toBe(200);
    expect((await put({ a: {} }, confirmed, { 'if-match': withoutEmpty.tag })).status).toBe(200);
  });

  it('keeps a queue with work below it, and one whose work is leaving, unless they may go', async () => {
    const partition = system.partition();
    const { name } = partition;
    await partition.run(
      { queue: 'root.b.c', count: 1, resources: { memory: 5 } },
      { queue: 'root.d', count: 1, resources: { memory: 5 } },
    );
    await partition.configure({ a: {}, b: { queues: {} }, d: {} });
    await system.db.query(
      `UPDATE simulated_allocations SET state = 'releasing', gone_at = now() + interval '1 hour' WHERE partition = $1 AND queue = 'root.d'`,
      [name],
    );
    const { status, body } = await partition.submit(configuration(name, { a: {} }));
    expect({ status, errors: body.errors }).toMatchObject({
      status: 409,
      errors: [{ path: 'root.b' }, { path: 'root.d' }],
    });
    // Another sender who does not say it over HTTP: a rollback.
    const { version } = await partition.configure({ a: {} });
    const { version: with2 } = await partition.configure({ a: {}, b: { queues: {} }, d: {} });
    expect(Number(with2)).toBeGreaterThan(Number(version));
    const back = await system.request(
      'POST',
      `/v1/partitions/${name}/configurations/${String(version)}/rollback`,
      {},
    );
    expect(back.status).toBe(200);
  });
});

describe('a queue that left the configuration with its work', () => {
  it('is listed and marked until it is empty, and counts in the queue above', async () => {
    const partition = system.partition();
    const { name } = partition;
    await partition.run({ queue: 'root.a.gone', count: 3, resources: { memory: 5 } });
    await partition.configure({ a: { queues: { gone: {}, kept: {} } } });
    const listed = async (query = '') =>
      (await system.get<{ items: QueueView[]; next?: string }>(`/v1/queues?partition=${name}${query}`)).items;
    expect((await listed()).some(({ configured }) => configured === false)).toBe(false);
    await partition.configure({ a: { queues: { kept: {} } } });

    expect((await listed()).map(({ queue, configured }) => [queue, configured])).toEqual([
      ['root', undefined],
      ['root.a', undefined],
      ['root.a.gone', false],
      ['root.a.kept', undefined],
    ]);
    const marked = {
      queue: 'root.a.gone',
      configured: false,
      allocations: 3,
      usage: { memory: 15 },
      max: null,
    };
    expect(await listed('&queue=root.a.gone')).toMatchObject([marked]);
    expect(await system.get(`/v1/queues/root.a.gone?partition=${name}`)).toMatchObject(marked);
    expect(await system.get(`/v1/queues/root.a?partition=${name}`)).toMatchObject({ usage: { memory: 15 } });
    // Page by page it stands in its place, too.
    const pages: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: { items: QueueView[]; next?: string } = await system.get(
        `/v1/queues?partition=${name}&limit=1${after && `&after=${after}`}`,
      );
      pages.push(...page.items.map(({ queue }) => queue));
      after = page.next;
    }
    expect(pages).toEqual(['root', 'root.a', 'root.a.gone', 'root.a.kept']);

    const get = (...words: string[]) =>
      curtail(['--server', system.url, '--no-color', 'get', 'queues', ...words, '--partition', name], {
        columns: 200,
      });
    const text = /root\.a\.gone .*not in the configuration; 3 allocations still run/;
    expect((await get()).stdout).toMatch(text);
    expect((await get('--queue', 'root.a.gone')).stdout).toMatch(text);
    expect((await get('root.a.gone')).stdout).toMatch(text);

    await system.db.query('DELETE FROM simulated_allocations WHERE partition = $1', [name]);
    expect((await listed()).map(({ queue }) => queue)).toEqual(['root', 'root.a', 'root.a.kept']);
    expect((await get('root.a.gone')).status).toBe(2);
  });
});

describe('a configuration of a newer YuniKorn, in its ConfigMap', () => {
  it('is applied with warnings if unknown keys are allowed, and refused otherwise', async () => {
    const partition = system.partition();
    const file = join(folder, 'config-map.yaml');
    await writeFile(
      file,
      `apiVersion: v1
kind: ConfigMap
data:
  queues.yaml: |
    partitions:
      - name: ${partition.name}
        quantumscheduling: true
        queues: [{name: a}]
`,
    );
    const apply = (...words: string[]) => curtail(['--server', system.url, 'apply', '-f', file, ...words]);
    const place = `${file}:7:9: partitions[0].quantumscheduling: unknown key`;
    expect((await apply()).stderr).toContain(`error: ${place}`);
    const answer = await fetch(`${system.url}/v1/partitions/${partition.name}/config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/yaml' },
      body: await readFile(file, 'utf8'),
    });
    expect(await answer.json()).toMatchObject({
      status: 422,
      remedy: expect.stringContaining('allowUnknown=true'),
    });
    const { status, stderr, stdout } = await apply('--allow-unknown');
    expect(status).toBe(0);
    expect(stderr).toContain(`warning: ${place}`);
    expect(JSON.parse(stdout)).toMatchObject({ queues: 2, warnings: [{ code: 'unknown-key', line: 7 }] });
  });
});
