import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { curtail } from '../../apps/curtail/src/cli/test-terminal.js';
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
