import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inboundTopics } from '#contracts/events';
import { readSettings, routes } from '#platform';
import { curtailSettings } from '#runtime';
import { allCommands } from '../../apps/curtail/src/cli/commands/index.js';
import { buildProgram } from '../../apps/curtail/src/cli/program.js';
import { commandRights, topicRights } from '../../scripts/documents/described-rights.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const admin = 'a-token-of-administrators';
const tokenOf = (name: string) => `the-token-of-${name}`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const people = ['vera', 'sam', 'olga', 'alex', 'nobody', 'tina', 'lead', 'metrics'];

let system: EmbeddedSystem;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const tokensFile = join(folder.path, 'tokens.yaml');
  const policyFile = join(folder.path, 'policy.yaml');
  const entry = (name: string) =>
    `  - {name: ${name}, sha256: ${sha256(tokenOf(name))}${name === 'metrics' ? ', role: agent' : ''}}`;
  const expired = `  - {name: late, sha256: ${sha256(tokenOf('late'))}, role: admin, expires: '2020-01-01T00:00:00Z'}`;
  await writeFile(tokensFile, ['tokens:', ...people.map(entry), expired].join('\n'));
  await writeFile(
    policyFile,
    `grants:
  - {subject: vera, role: viewer}
  - {subject: sam, role: submitter, partition: default, queue: root.a}
  - {subject: olga, role: operator, partition: default}
  - {subject: alex, role: approver}
  - {subject: tina, role: viewer, partition: default, queue: root.a}
  - {subject: lead, role: night-shift, queue: root.b}
roles:
  night-shift: [viewer, stop]
`,
  );
  system = await EmbeddedSystem.start({ token: admin, tokensFile, policyFile });
  const put = await send('admin', 'PUT', '/v1/partitions/default/config', queues, 'application/yaml');
  expect(put).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await system?.stop();
  await folder?.remove();
});

const queues = `partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: a
            resources: {max: {memory: 100G}}
            queues: [{name: deep}]
          - name: b
            resources: {max: {memory: 100G}}
`;

async function send(
  who: string,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
): Promise<{ status: number; code: string | undefined; body: Record<string, unknown> }> {
  const response = await fetch(system.url + path, {
    method,
    headers: {
      ...(who !== '' && { authorization: `Bearer ${who === 'admin' ? admin : tokenOf(who)}` }),
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const read = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text };
  const code = (read.type as string | undefined)?.replace('urn:curtail:problem:', '');
  return { status: response.status, code, body: read };
}

describe('rights', () => {
  it.each([
    ['', 'GET', '/v1/queues', 401],
    ['stranger', 'GET', '/v1/queues', 401],
    ['late', 'GET', '/v1/queues', 401],
    ['nobody', 'GET', '/v1/queues', 403],
    ['nobody', 'GET', '/v1/access', 200],
    ['vera', 'GET', '/v1/queues', 200],
    ['vera', 'GET', '/v1/status', 200],
    ['vera', 'GET', '/metrics', 200],
    ['vera', 'POST', '/v1/kill-switch', 403],
    ['olga', 'POST', '/v1/kill-switch', 200],
    ['olga', 'DELETE', '/v1/kill-switch', 200],
    ['olga', 'POST', '/v1/enforcements/e-1/approve', 403],
    ['olga', 'PUT', '/v1/partitions/default/config', 403],
    ['olga', 'PATCH', '/v1/partitions/default/settings', 403],
    ['olga', 'PUT', '/v1/partitions/gpu/mode', 403],
    ['alex', 'POST', '/v1/enforcements/e-1/approve', 404],
    ['alex', 'POST', '/v1/kill-switch', 403],
    ['alex', 'POST', '/v1/replays', 403],
    ['sam', 'PUT', '/v1/partitions/default/config', 403],
    ['sam', 'POST', '/v1/kill-switch', 403],
    ['metrics', 'GET', '/metrics', 200],
    ['metrics', 'GET', '/v1/queues', 403],
    ['metrics', 'GET', '/v1/status', 403],
    ['metrics', 'POST', '/v1/kill-switch', 403],
    ['admin', 'GET', '/v1/replays', 200],
  ])('of %j: %s %s is answered with %d', async (who, method, path, status) => {
    const body = method === 'POST' && path.endsWith('kill-switch') ? { partition: 'default' } : undefined;
    expect(await send(who, method, path, body)).toMatchObject({ status });
  });

  it('hold for a place that a command names in its body alone, whatever its address claims', async () => {
    const own = { partition: 'default', queue: 'root.b' };
    expect(await send('lead', 'POST', '/v1/kill-switch', own)).toMatchObject({ status: 200 });
    for (const [path, body] of [
      ['/v1/kill-switch', { partition: 'default' }],
      ['/v1/kill-switch', { partition: 'default', queue: 'root.a' }],
      ['/v1/kill-switch', { partition: 'default', queue: 'root' }],
      ['/v1/kill-switch', { partition: 'default', queue: 'root.bb' }],
      ['/v1/kill-switch?queue=root.b', { partition: 'default' }],
      ['/v1/kill-switch?partition=default&queue=root.b', { partition: 'default', queue: 'root.a' }],
      ['/v1/kill-switch', { queue: ['root.b'] }],
    ] as const)
      expect(await send('lead', 'POST', path, body)).toMatchObject({ status: 403, code: 'not-permitted' });
    expect(await send('lead', 'DELETE', '/v1/kill-switch?queue=root.b')).toMatchObject({ status: 403 });
    expect(await send('admin', 'DELETE', '/v1/kill-switch')).toMatchObject({ status: 200 });
  });

  it('limit reading to the queues of a grant', async () => {
    const items = async (path: string) => ((await send('tina', 'GET', path)).body.items ?? []) as object[];
    expect(await items('/v1/queues')).toMatchObject([{ queue: 'root.a' }, { queue: 'root.a.deep' }]);
    expect(await send('tina', 'GET', '/v1/queues/root.a')).toMatchObject({ status: 200 });
    for (const path of [
      '/v1/queues/root.b',
      '/v1/queues?queue=root.b',
      '/v1/queues?partition=gpu',
      '/v1/partitions/default/config',
      '/v1/partitions/default/config?queue=root.a',
      '/v1/partitions/default/configurations',
      '/v1/replays',
      '/v1/dead-letters',
      '/v1/live?partition=gpu',
    ])
      expect({ path, ...(await send('tina', 'GET', path)) }).toMatchObject({ path, status: 403 });
    await send('admin', 'POST', '/v1/kill-switch', { partition: 'default', queue: 'root.b' });
    expect(await items('/v1/kill-switch')).toEqual([]);
    const { body: status } = await send('tina', 'GET', '/v1/status');
    expect(JSON.stringify(status)).not.toContain('root.b');
    const { body: whole } = await send('vera', 'GET', '/v1/status');
    expect(JSON.stringify(whole)).toContain('root.b');
    const names = await items('/v1/names/queue?prefix=root');
    expect(names).not.toContain('root.b');
    await send('admin', 'DELETE', '/v1/kill-switch?queue=root.b');
    const events = await items('/v1/events');
    expect(events.length).toBeGreaterThan(0);
    expect(events.filter((event) => !/^root\.a/.test((event as { queue: string }).queue))).toEqual([]);
    const all = (await send('vera', 'GET', '/v1/events?type=KillSwitchSet')).body.items as { id: string }[];
    expect(await send('tina', 'GET', `/v1/events/${all[0]!.id}`)).toMatchObject({ status: 403 });
  });

  it('let a submitter change the queues below, and not raise the own quota', async () => {
    const entry = (name: string, rest = '') => `name: ${name}\n${rest}`;
    const path = (queue: string) => `/v1/partitions/default/queues/${queue}/config`;
    const type = 'application/yaml';
    const lowered = entry('deep', 'resources: {max: {memory: 50G}}\n');
    expect(await send('sam', 'PUT', path('root.a.deep'), lowered, type)).toMatchObject({ status: 200 });
    const raised = entry('a', 'resources: {max: {memory: 900G}}\nqueues: [{name: deep}]\n');
    expect((await send('sam', 'PUT', path('root.a'), raised, type)).status).toBeGreaterThanOrEqual(400);
    expect(await send('sam', 'PUT', path('root.b'), entry('b'), type)).toMatchObject({ status: 403 });
  });

  it('put the owner of the credential on record, whatever the request claims', async () => {
    const stop = { partition: 'default', queue: 'root.b', by: 'somebody-else' };
    await send('olga', 'POST', '/v1/kill-switch', stop);
    await send('olga', 'DELETE', '/v1/kill-switch?queue=root.b&by=somebody-else');
    await send('admin', 'POST', '/v1/kill-switch', stop);
    await send('admin', 'DELETE', '/v1/kill-switch?queue=root.b');
    const path = '/v1/events?queue=root.b&limit=4';
    const { items } = (await send('vera', 'GET', path)).body as { items: { data: object }[] };
    const olga = { by: 'olga', actor: { issuer: 'tokens', subject: 'olga', address: '127.0.0.1' } };
    expect(items.map(({ data }) => data)).toMatchObject([
      { by: 'admin', actor: { issuer: 'curtail', subject: 'admin' } },
      { by: 'admin', actor: { issuer: 'curtail', subject: 'admin', claimed: 'somebody-else' } },
      olga,
      olga,
    ]);
    const sent = (await send('vera', 'GET', '/v1/events?type=ConfigApplied&limit=1')).body;
    expect(sent).toMatchObject({ items: [{ data: { by: 'sam', actor: { subject: 'sam' } } }] });
  });

  it('come into force and go without a restart; a file that cannot be used changes nothing', async () => {
    const file = join(folder.path, 'policy.yaml');
    const text = readFileSync(file, 'utf8');
    const until = async (status: number) => {
      while ((await send('nobody', 'GET', '/v1/queues')).status !== status)
        await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await writeFile(file, text.replace('subject: vera', 'subject: nobody'));
    await until(200);
    expect(await send('vera', 'GET', '/v1/queues')).toMatchObject({ status: 403 });
    await writeFile(file, `${text}  wrong: [\n`);
    const notices = async () => JSON.stringify((await send('admin', 'GET', '/v1/status')).body.attention);
    while (!(await notices()).includes('access-file-refused'))
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await send('nobody', 'GET', '/v1/queues')).toMatchObject({ status: 200 });
    await writeFile(file, text);
    await until(403);
    expect(await notices()).not.toContain('access-file-refused');
  });

  it('end an open page with the token or the right that opened it, and no other page', async () => {
    const [policy, tokens] = ['policy.yaml', 'tokens.yaml'].map((name) => join(folder.path, name));
    const texts = [policy!, tokens!].map((file) => readFileSync(file, 'utf8'));
    const pages = new AbortController();
    const opened = async (who: string) => {
      const headers = { authorization: `Bearer ${tokenOf(who)}` };
      const live = await fetch(`${system.url}/v1/live`, { headers, signal: pages.signal });
      expect(live.status).toBe(200);
      return { untilItsEnd: live.text() };
    };
    const [vera, tina, olga] = await Promise.all(['vera', 'tina', 'olga'].map(opened));
    const other = olga!.untilItsEnd.then(
      () => 'ended',
      () => 'open until the end of the test',
    );
    await writeFile(policy!, texts[0]!.replace('subject: tina', 'subject: nobody'));
    await writeFile(tokens!, texts[1]!.replace(/^.*name: vera.*$/m, ''));
    expect(await tina!.untilItsEnd).toContain('data:');
    expect(await vera!.untilItsEnd).toContain('data:');
    pages.abort();
    expect(await other).toBe('open until the end of the test');
    await Promise.all([writeFile(policy!, texts[0]!), writeFile(tokens!, texts[1]!)]);
    for (const who of ['vera', 'tina'])
      while ((await send(who, 'GET', '/v1/queues?queue=root.a')).status !== 200)
        await new Promise((resolve) => setTimeout(resolve, 50));
  }, 60_000);

  it.each([
    ['no YAML', 'grants: [{group: sre,\n', /\d+:\d+/],
    ['a role that nobody defines', 'grants:\n  - {group: sre, role: king}\n', /:2:.*king/],
    ['a grant for nobody', 'grants:\n  - {role: viewer}\n', /:2:.*(group|subject)/],
    ['an unknown field', 'grants: []\nrolls: {}\n', /:2:.*rolls/],
    ['no file', undefined, /ENOENT/],
  ])('are refused at the start with the file, the line and the remedy: %s', async (_what, text, message) => {
    const file = join(folder.path, text === undefined ? 'none.yaml' : 'refused.yaml');
    if (text !== undefined) await writeFile(file, text);
    let problem = '';
    try {
      readSettings(curtailSettings, { CURTAIL_POLICY_FILE: file });
    } catch (error) {
      problem = (error as Error).message;
    }
    expect(problem).toContain(file);
    expect(problem).toMatch(message);
    expect(problem).toContain('expected the path of a policy file in YAML or JSON');
  });
});

describe('the table of rights', () => {
  it('has each topic from outside', () => {
    expect(Object.keys(topicRights).sort()).toEqual(Object.values(inboundTopics).sort());
  });

  it('has each command of the command line', async () => {
    const stream = new PassThrough();
    const program = buildProgram(
      { stdin: stream, stdout: stream, stderr: stream, env: {} },
      () => {},
      await allCommands(),
    );
    expect(Object.keys(commandRights).sort()).toEqual(program.commands.map((one) => one.name()).sort());
  });

  it('has each route of the API, and no other', () => {
    const document = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as {
      paths: Record<string, object>;
    };
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(Object.keys(routes).sort()).toEqual([...described, 'GET /metrics'].sort());
  });
});
