import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConfigurationVersion, ConfigurationVersionDetail, ListPage } from '#contracts/api';
import { historyTrims } from '../../apps/config-ingest/src/history/configuration-history.js';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { fileOfTeams } from '../../libs/platform/src/testing/teams-file.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { TestPartition } from '../support/test-partition.js';

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
    for (const { step } of historyTrims({ runRetentionDays: 90 } as never)) await step(system.db);
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

  it('names the queues that it removes, and asks for their removal', async () => {
    await put(text(a('100G')));
    const second = await put(text(a('100G'), '{name: b}'));
    const words = ['--server', system.url, 'rollback', '--partition', partition.name];
    const removal =
      '1 queue would be removed (root.b) and lose their quotas and guaranteed amounts; their work continues. Remove them, and replace version';
    const script = await curtail(words);
    expect([script.status, script.stderr]).toEqual([2, expect.stringContaining(removal)]);
    const refused = await curtail(words, { columns: 120, stdin: 'n\n' });
    expect(refused.stderr).toContain(removal);
    expect((await inForce()).version).toBe(second);
    expect((await curtail(words, { columns: 120, stdin: 'y\n' })).status).toBe(0);
    expect((await inForce()).body).toBe(text(a('100G')));
  });

  it('has no version to return to after the first one', async () => {
    const first = await put(text(a('100G')));
    const { status, stderr } = await cli('rollback', '--yes');
    expect(status).toBe(2);
    expect(stderr).toContain(`version ${first} is the first of partition ${partition.name}`);
  });
});

describe('a submission for one queue', () => {
  const whole = () => `partitions:
  - name: ${partition.name}
    queues:
      - name: root
        queues:
          - name: a   # Anna's
            resources:
              max: {memory: 100G}
            queues:
              - name: batch
          # Ben's queue: ask him first.
          - name: b
            resources: {max: {memory: 50G}}
`;
  const config = () => `queues/root.a/config`;
  const entry = (memory: string, more = '') => `name: a\nresources:\n  max: {memory: ${memory}}\n${more}`;
  const read = async () => (await request<{ body: string; version: number }>('GET', 'config')).body;
  type Answer = {
    type?: string;
    detail?: string;
    version: number;
    changed: unknown[];
    errors?: { path: string; line?: number; column?: number; message: string }[];
  };
  const send = (body: string, query = '', headers?: Record<string, string>) =>
    request<Answer>('PUT', `${config()}${query}`, body, headers);

  it('replaces its entry, and leaves the rest of the text as it is written', async () => {
    const first = await put(whole());
    const { body, tag } = await request<{ body: string; version: number }>('GET', config());
    expect(body).toMatchObject({
      version: first,
      body: "name: a   # Anna's\nresources:\n  max: {memory: 100G}\nqueues:\n  - name: batch\n",
    });
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    const { status, body: applied } = await send(entry('60G', 'queues: [{name: batch}]\n'), '?by=anna', {
      'if-match': tag,
    });
    expect(status).toBe(200);
    expect(applied.changed).toMatchObject([{ queue: 'root.a' }]);
    expect((await read()).body).toBe(
      whole().replace(
        /name: a .*?batch\n/s,
        'name: a\n            resources:\n              max: {memory: 60G}\n            queues: [{name: batch}]\n',
      ),
    );
    const { items } = (await request<ListPage<ConfigurationVersion>>('GET', 'configurations')).body;
    expect(items[0]).toMatchObject({ by: 'anna', onlyQueue: 'root.a', previous: first, changed: 1 });
  });

  it('does not mind other queues that change meanwhile, and keeps their change', async () => {
    await put(whole());
    const { tag } = await request('GET', config());
    await put(whole().replace('50G', '40G'), 'ben');
    expect((await send(entry('60G', 'queues: [{name: batch}]\n'), '', { 'if-match': tag })).status).toBe(200);
    const { body } = await read();
    expect(body).toContain('40G');
    expect(body).toContain('60G');
  });

  it('all take effect when several teams send theirs at once', async () => {
    await put(whole());
    const answers = await Promise.all([
      ...['61G', '62G', '63G'].map((memory) => send(entry(memory, 'queues: [{name: batch}]\n'))),
      ...['41G', '42G', '43G'].map((memory) =>
        request('PUT', 'queues/root.b/config', `{name: b, resources: {max: {memory: ${memory}}}}`),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await read()).body).toMatch(/memory: 6[123]G[\s\S]*memory: 4[123]G/);
  });

  it('is refused if the entry that it replaces has changed', async () => {
    const first = await put(whole());
    const { tag } = await request('GET', config());
    await put(whole().replace('100G', '90G'));
    for (const condition of [tag, `"${first}"`]) {
      const { status, body } = await send(entry('60G', 'queues: [{name: batch}]\n'), '', {
        'if-match': condition,
      });
      expect({ status, type: body.type }).toEqual({
        status: 412,
        type: 'urn:curtail:problem:configuration-changed',
      });
    }
    expect((await read()).body).toContain('90G');
  });

  it('has the places of its errors in the entry as it was sent', async () => {
    await put(whole());
    const { status, body } = await send(entry('-1', 'color: green\n'));
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { path: 'resources.max.memory', line: 3 },
      { path: 'color', line: 4, message: 'unknown key' },
    ]);
    expect((await send(entry('60G').replace('name: a', 'name: b'))).body.errors).toMatchObject([
      { path: 'name', line: 1 },
    ]);
    expect(
      (await send(entry('60G', 'color: green\nqueues: [{name: batch}]\n'), '?allowUnknown')).status,
    ).toBe(200);
  });

  it('asks before it removes queues, and for nothing else', async () => {
    const version = await put(whole());
    const { status, body } = await send(entry('100G'), '?removeQueues=false');
    expect({ status, type: body.type, version: body.version }).toEqual({
      status: 409,
      type: 'urn:curtail:problem:queues-would-be-removed',
      version,
    });
    expect((await send(entry('100G'), '?removeQueues=true', { 'if-match': `"${version}"` })).status).toBe(
      200,
    );
  });

  it('is refused if it would change other queues', async () => {
    await put(`partitions:
  - name: ${partition.name}
    queues:
      - name: root
        queues:
          - name: a
            resources: &same {max: {memory: 100G}}
          - name: b
            resources: *same
`);
    const { status, body } = await send('name: a\nresources: &same {max: {memory: 60G}}\n');
    expect({ status, type: body.type, message: body.errors?.[0]?.message }).toEqual({
      status: 422,
      type: 'urn:curtail:problem:configuration-refused',
      message: expect.stringMatching(/^other parts of the configuration use an anchor of this entry/),
    });
  });

  it('shows what it would change, and changes nothing', async () => {
    const before = whole().replace(
      'name: b\n',
      'name: b\n            properties: {quota.preemption.delay: 3s}\n',
    );
    await put(before);
    const { status, body } = await request<unknown>(
      'PUT',
      `${config()}?dryRun=true`,
      entry('60G', 'properties: {quota.preemption.delay: 2s}\nqueues: [{name: batch}]\n'),
    );
    expect(status).toBe(200);
    // The delay of b, which is not of the sender, has a warning too.
    expect(body).toMatchObject({
      dryRun: true,
      changed: [{ queue: 'root.a' }, { queue: 'root.a.batch' }],
      warnings: [
        { code: 'delay-unusual', path: 'properties."quota.preemption.delay"', line: 4 },
        { code: 'nothing-enforced', path: 'root.a' },
      ],
    });
    expect((await read()).body).toBe(before);
  });

  it('is refused for a caller whose limits only the console knows', async () => {
    await put(whole());
    const { status, body } = await send(entry('60G'), '', { 'x-curtail-team': 'a' });
    expect({ status, type: body.type }).toEqual({ status: 403, type: 'urn:curtail:problem:rights-unknown' });
  });

  it('is only possible for a queue with an entry', async () => {
    expect((await request<Answer>('GET', config())).body).toMatchObject({
      status: 404,
      type: 'urn:curtail:problem:unknown-partition',
    });
    await put(whole());
    expect((await request<Answer>('GET', 'queues/root.c/config')).body).toMatchObject({
      status: 404,
      type: 'urn:curtail:problem:no-entry',
    });
  });

  it('is exported, changed and applied on the command line', async () => {
    await put(whole());
    const file = join(folder, 'a.yaml');
    const exported = await cli('-o', 'table', 'export', '--queue', 'root.a');
    expect(exported.stdout).toBe(
      "name: a   # Anna's\nresources:\n  max: {memory: 100G}\nqueues:\n  - name: batch\n",
    );
    const apply = (...words: string[]) => cli('apply', '-f', file, '--queue', 'root.a', ...words);
    await writeFile(file, exported.stdout.replace('100G', '60H'));
    const refused = await apply();
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(`${file}:3:17: resources.max.memory: `);

    await writeFile(file, exported.stdout.replace('100G', '60G'));
    const preview = await apply('--dry-run');
    expect(preview.status).toBe(0);
    expect(preview.stderr).toContain(`apply -f ${file} --partition ${partition.name} --queue root.a`);
    const stale = await apply('--if-version', '1');
    expect(stale.stderr).toContain(
      'The configuration of root.a is no longer the one that was to be replaced',
    );
    expect((await apply()).status).toBe(0);
    expect((await read()).body).toBe(whole().replace('100G', '60G'));
    const list = await cli('-o', 'table', 'get', 'configurations');
    expect(list.stdout).toContain('only root.a');

    await writeFile(file, 'name: a\n');
    const asked = await apply();
    expect(asked.status).toBe(2);
    expect(asked.stderr).toContain('root.a.batch');
    expect((await apply('--yes')).status).toBe(0);
    expect((await cli('export', '1', '--queue', 'root.a')).stderr).toContain('leave out the version');
  });
});

describe('a team with a token of its own', () => {
  const tokens = { operator: 'operator-horse-battery', team: 'team-horse-battery' };
  let guarded: EmbeddedSystem;
  beforeAll(async () => {
    const sha256 = createHash('sha256').update(tokens.team).digest('hex');
    guarded = await EmbeddedSystem.start({
      token: tokens.operator,
      teamsFile: fileOfTeams([{ name: 'team a', partition: 'teams', queue: 'root.a', sha256 }]),
    });
  });
  afterAll(() => guarded.stop());

  const send = async (token: string, method: string, path: string, body?: string) => {
    const response = await fetch(`${guarded.url}/v1/partitions/teams/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/yaml' },
      ...(body === undefined ? {} : { body }),
    });
    const answer = (await response.json()) as {
      type?: string;
      errors?: { path: string; message: string }[];
      items: ConfigurationVersion[];
    };
    return { status: response.status, ...answer };
  };
  const mine = 'queues/root.a/config';
  const entry = (memory: string, child = '') =>
    `name: a\nresources: {max: {memory: ${memory}}}\nqueues:\n  - {name: batch${child}}\n`;

  it('changes the queues below its own, and nothing else', async () => {
    const whole = `partitions:
  - name: teams
    queues:
      - name: root
        queues:
          - name: a
            resources: {max: {memory: 100G}}
            queues:
              - {name: batch}
          - name: b
`;
    expect((await send(tokens.operator, 'PUT', 'config', whole)).status).toBe(200);
    expect(await send(tokens.team, 'PUT', 'config', whole)).toMatchObject({
      status: 403,
      type: 'urn:curtail:problem:not-for-teams',
    });
    expect(await send(tokens.team, 'PUT', 'queues/root.b/config', 'name: b\n')).toMatchObject({
      status: 403,
      type: 'urn:curtail:problem:not-for-teams',
    });
    expect(await send(tokens.team, 'PUT', mine, entry('200G'))).toMatchObject({
      status: 422,
      errors: [{ path: 'resources', line: 2 }],
    });
    const protectedChild = entry('100G', ', properties: {curtail.protect: "true"}');
    expect(await send(tokens.team, 'PUT', mine, protectedChild)).toMatchObject({
      status: 422,
      errors: [
        { message: expect.stringMatching(/^curtail\.protect of root\.a\.batch: only the administrator/) },
      ],
    });
    for (const [child, what] of [
      [', resources: {guaranteed: {vcore: 1}}', 'guaranteed of root.a.batch'],
      [', properties: {quota.preemption.delay: 1s}', 'delay of root.a.batch'],
      ['}\n  - {name: new, resources: {guaranteed: {vcore: 1}}', 'guaranteed of root.a.new'],
    ] as const) {
      expect(await send(tokens.team, 'PUT', mine, entry('100G', child))).toMatchObject({
        status: 422,
        errors: [{ message: expect.stringContaining(what) }],
      });
    }
    for (const path of [
      'queues/root.b/config',
      'queues/%2e%2e/config',
      'queues/root/config',
      'queues/%ff/config',
    ]) {
      expect((await send(tokens.team, 'PUT', path, whole)).status).toBe(403);
    }
    expect(
      await send(
        tokens.team,
        'PUT',
        `${mine}?by=operator`,
        entry('100G', ', resources: {max: {memory: 40G}}'),
      ),
    ).toMatchObject({ status: 200 });
    const { items } = await send(tokens.operator, 'GET', 'configurations');
    expect(items[0]).toMatchObject({ by: 'team a', onlyQueue: 'root.a', changed: 1 });
    expect((await send(tokens.team, 'PUT', 'queues/root.a.batch/config', 'name: batch\n')).status).toBe(200);
    expect((await send(tokens.operator, 'PUT', mine, entry('200G'))).status).toBe(200);
  });

  it('answers for allocations of its own queues, in its own name, and for no others', async () => {
    const partition = new TestPartition(guarded, 'teams');
    await partition.run(
      { queue: 'root.a.batch', count: 1, resources: { memory: 1e9 } },
      { queue: 'root.b', count: 1, resources: { memory: 1e9 } },
    );
    const answer = async (token: string, allocation: string) => {
      const response = await fetch(`${guarded.url}/v1/answers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ partition: 'teams', allocation, answer: 'checkpointed', by: 'ann' }),
      });
      const { type, by } = (await response.json()) as { type?: string; by?: string };
      return { status: response.status, type, by };
    };
    expect(await answer(tokens.team, 'batch-1')).toMatchObject({ status: 200, by: 'team a' });
    expect(await answer(tokens.team, 'b-1')).toMatchObject({
      ...{ status: 403, type: 'urn:curtail:problem:not-your-queue' },
    });
    const answers = (await partition.events('OwnerAnswered')).map(({ data: { allocation } }) => allocation);
    expect(answers).toEqual(['batch-1']);
    expect(await answer(tokens.operator, 'b-1')).toMatchObject({ status: 200, by: 'admin' });
  });
});
