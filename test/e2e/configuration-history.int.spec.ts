import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigurationVersion, ConfigurationVersionDetail, ListPage } from '@curtail/contracts/api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { historyTrims } from '../../apps/config-ingest/src/history/configuration-history.js';
import { curtail } from '../../apps/curtail/src/cli/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
let folder: string;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
  folder = await mkdtemp(join(tmpdir(), 'curtail-history-'));
});
afterAll(async () => {
  await system.stop();
  await rm(folder, { recursive: true });
});

let partition: TestPartition;
beforeEach(() => {
  partition = system.partition();
});

const text = (...queues: string[]) => `partitions:
  - name: ${partition.name}
    queues:
      - name: root
        queues:
${queues.map((queue) => `          - ${queue}`).join('\n')}
`;
const a = (memory: string) => `{name: a, resources: {max: {memory: ${memory}}}}`;

async function request<T>(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${system.url}/v1/partitions/${partition.name}/${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/yaml' }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, tag: response.headers.get('etag')!, body: (await response.json()) as T };
}
const put = async (body: string, by?: string) => {
  const { status, body: applied } = await request<{ version: number; detail?: string }>(
    'PUT',
    `config${by === undefined ? '' : `?by=${by}`}`,
    body,
  );
  expect({ status, detail: applied.detail }).toEqual({ status: 200, detail: undefined });
  return applied.version;
};
const cli = (...words: string[]) =>
  curtail(['--server', system.url, ...words, '--partition', partition.name]);

describe('the history of a configuration', () => {
  const list = async (query = '') =>
    (await request<ListPage<ConfigurationVersion>>('GET', `configurations${query}`)).body;
  const one = async (version: number) =>
    (await request<ConfigurationVersionDetail>('GET', `configurations/${version}`)).body;

  it('has each version, its sender, and what it changed', async () => {
    const first = await put(text(a('100G'), '{name: gone}'), 'anna');
    const second = await put(text(a('60G'), '{name: new}'), 'ben');
    expect((await list()).items).toMatchObject([
      {
        version: second,
        previous: first,
        by: 'ben',
        via: 'http',
        inForce: true,
        added: 1,
        removed: 1,
        changed: 1,
      },
      {
        version: first,
        previous: null,
        by: 'anna',
        via: 'http',
        inForce: false,
        added: 3,
        removed: 0,
        changed: 0,
      },
    ]);
    const detail = await one(second);
    expect(detail.body).toBe(text(a('60G'), '{name: new}'));
    expect(detail.changes!.queues).toMatchObject([
      {
        path: 'root.a',
        change: 'changed',
        max: [{ type: 'memory', change: 'lower', from: 100e9, to: 60e9 }],
      },
      { path: 'root.new', change: 'new' },
      { path: 'root.gone', change: 'removed' },
    ]);
    expect((await request('GET', 'configurations/999')).status).toBe(404);
    expect((await request('GET', 'configurations/first')).status).toBe(400);
  });

  it('is on record with its sender', async () => {
    await put(text(a('100G')), 'anna');
    const [event] = await system.db.query(
      `SELECT data FROM events WHERE partition = $1 AND type = 'io.curtail.config.applied.v1'`,
      [partition.name],
    );
    expect(event.data).toMatchObject({ by: 'anna', via: 'http' });
  });

  it('is listed page by page, by sender and since a time', async () => {
    const versions = [];
    for (const [memory, by] of [
      ['100G', 'anna'],
      ['90G', 'ben'],
      ['80G', 'anna'],
    ] as const)
      versions.push(await put(text(a(memory)), by));
    const page = await list('?limit=2');
    expect(page.items.map(({ version }) => version)).toEqual([versions[2], versions[1]]);
    const rest = await list(`?limit=2&after=${page.next}`);
    expect(rest).toMatchObject({ items: [{ version: versions[0] }] });
    expect(rest.next).toBeUndefined();
    expect((await list('?by=anna')).items.map(({ version }) => version)).toEqual([versions[2], versions[0]]);
    const { appliedAt } = page.items[0]!;
    expect((await list(`?since=${appliedAt}`)).items.map(({ version }) => version)).toEqual([versions[2]]);
    expect((await request('GET', 'configurations?queue=root.a')).status).toBe(400);
  });

  it('keeps one text of submissions that repeat it', async () => {
    await put(text(a('100G')));
    await put(text(a('100G')));
    const [{ texts }] = await system.db.query(
      'SELECT count(*)::int AS texts FROM configuration_texts WHERE partition = $1',
      [partition.name],
    );
    expect({ texts, versions: (await list()).items.length }).toEqual({ texts: 1, versions: 2 });
  });

  it('is trimmed with its texts, but for the version in force', async () => {
    await put(text(a('100G')));
    const inForce = await put(text(a('90G')));
    await system.db.query(
      `UPDATE configurations SET applied_at = now() - interval '366 days' WHERE partition = $1`,
      [partition.name],
    );
    await system.db.query(
      `UPDATE configuration_texts SET used_at = now() - interval '366 days' WHERE partition = $1`,
      [partition.name],
    );
    for (const { step } of historyTrims({ configurationRetentionDays: 365 } as never)) await step(system.db);
    expect((await list()).items).toMatchObject([{ version: inForce }]);
    const texts = await system.db.query('SELECT body FROM configuration_texts WHERE partition = $1', [
      partition.name,
    ]);
    expect(texts).toEqual([{ body: text(a('90G')) }]);
  });

  it('is read on the command line: listed, one with its changes, compared, and exported', async () => {
    const first = await put(text(a('100G'), '{name: gone}'), 'anna');
    const file = join(folder, 'queues.yaml');
    await writeFile(file, text(a('60G')));
    expect((await cli('apply', '-f', file, '--yes')).status).toBe(0);
    const { stdout } = await cli('get', 'configurations', '-o', 'wide');
    const [, second, oldest] = stdout.split('\n');
    expect(second).toMatch(/ http .* 1 queue removed, 1 changed +in force /);
    expect(oldest).toMatch(/ anna +http .* 3 queues added +- /);
    const version = second!.trim().split(' ')[0]!;
    const table = (await cli('get', 'configuration', version, '-o', 'table')).stdout;
    expect(table).toContain(`changes from version ${first}:`);
    expect(table).toMatch(/root\.a +max +100 GB +60 GB +lower/);
    expect((await cli('get', 'configuration', version, '-o', 'yaml')).stdout).toContain(
      'body: |\n  partitions:',
    );
    const compared = (await cli('diff', String(first), version, '-o', 'table')).stdout;
    expect(compared).toMatch(/root\.a +max +100 GB +60 GB +lower/);
    expect((await cli('diff', version, file, '-o', 'table')).stdout).toBe('nothing changes\n');
    expect((await cli('export', String(first))).stdout).toBe(text(a('100G'), '{name: gone}'));
    const absent = await cli('diff', '999', file);
    expect(absent.stderr).toContain(`there is no configuration version 999 in partition ${partition.name}`);
    expect(absent.stderr).toMatch(/next: list them: curtail .*get configurations --partition p\d+\n/);
  });
});

describe('a rollback', () => {
  const roll = (version: number, query = '', headers: Record<string, string> = {}) =>
    request<{ version: number; detail: string; victims: number; changed: { queue: string }[] }>(
      'POST',
      `configurations/${version}/rollback${query}`,
      undefined,
      headers,
    );
  const inForce = async () => (await request<{ version: number; body: string }>('GET', 'config')).body;

  it('puts the text of an earlier version in force as a new version, on record with its author', async () => {
    const first = await put(text(a('100G')));
    const second = await put(text(a('60G')));
    const { status, tag, body } = await roll(first, '?by=anna', { 'if-match': `"${second}"` });
    expect({ status, tag }).toEqual({ status: 200, tag: `"${body.version}"` });
    expect(body.version).toBeGreaterThan(second);
    expect(await inForce()).toMatchObject({ version: body.version, body: text(a('100G')) });
    const [latest, replaced] = (await request<ListPage<ConfigurationVersion>>('GET', 'configurations')).body
      .items;
    expect(latest).toMatchObject({ by: 'anna', rolledBackTo: first, previous: second, changed: 1 });
    expect(replaced).toMatchObject({ version: second, inForce: false });
    const events = await system.db.query(
      `SELECT data FROM events WHERE partition = $1 AND type = 'io.curtail.config.applied.v1' ORDER BY version`,
      [partition.name],
    );
    expect(events.at(-1).data).toMatchObject({ by: 'anna', rolledBackTo: first });
  });

  it('is refused if another version came into force meanwhile, with what changed', async () => {
    const first = await put(text(a('100G')));
    const second = await put(text(a('60G')));
    await put(text(a('50G')));
    const { status, body } = await roll(first, '', { 'if-match': `"${second}"` });
    expect(status).toBe(412);
    expect(body.detail).toContain('Meanwhile the quotas of these queues changed: root.a.');
    expect((await inForce()).body).toBe(text(a('50G')));
  });

  it('shows what it would do, and changes nothing', async () => {
    const first = await put(text(a('10')));
    const second = await put(text(a('60G')));
    const { status, body } = await roll(first, '?dryRun=true');
    expect({ status, changed: body.changed.map(({ queue }) => queue) }).toEqual({
      status: 200,
      changed: ['root.a'],
    });
    expect((await inForce()).version).toBe(second);
    expect((await roll(999)).status).toBe(404);
  });

  it('restores the switch that was in force, even where a sender had overridden that of the text', async () => {
    const first = await put(text(a('100G')));
    await system.db.query('UPDATE configurations SET quota_preemption_enabled = true WHERE partition = $1', [
      partition.name,
    ]);
    const { body } = await roll(first);
    expect(body).toMatchObject({ quotaPreemptionEnabled: true });
  });

  it('asks on a terminal after a preview, and needs --yes in a script', async () => {
    const first = await put(text(a('100G')));
    await put(text(a('60G')));
    const words = ['--server', system.url, 'rollback', '--partition', partition.name];
    const script = await curtail(words);
    expect(script.status).toBe(2);
    expect(script.stderr).toContain('Add --yes to confirm');
    const refused = await curtail(words, { columns: 120, stdin: 'n\n' });
    expect(refused.stdout).toMatch(
      /1 quota would change, nothing would be evicted\n[\s\S]*root\.a +max +60 GB +100 GB +raise/,
    );
    expect(refused.stderr).toContain(`by the text of version ${first}? [y/N]`);
    expect((await inForce()).body).toBe(text(a('60G')));
    const agreed = await curtail(words, { columns: 120, stdin: 'y\n' });
    expect(agreed.status).toBe(0);
    expect((await inForce()).body).toBe(text(a('100G')));
    expect((await curtail([...words, '--dry-run'])).status).toBe(0);
    expect((await curtail([...words, '--yes'])).status).toBe(0);
    expect((await inForce()).body).toBe(text(a('60G')));
  });

  it('has no version to return to after the first one', async () => {
    const first = await put(text(a('100G')));
    const { status, stderr } = await cli('rollback', '--yes');
    expect(status).toBe(2);
    expect(stderr).toContain(`version ${first} is the first of partition ${partition.name}`);
  });
});
