import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { json, problemReply, TestServer } from '../../../testing/test-server.js';
import { curtail } from '../../../testing/test-terminal.js';

const token = 'a-token-of-32-letters-and-digits';
let lab: TestServer;
let prod: TestServer;
let home: string;
let path: string;
beforeAll(async () => {
  [lab, prod] = [await TestServer.start(), await TestServer.start()];
});
afterAll(async () => {
  await lab.stop();
  await prod.stop();
});
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'curtail-contexts-'));
  path = join(home, '.config', 'curtail', 'config.yaml');
  for (const server of [lab, prod]) {
    server.seen.length = 0;
    server.replies = { 'GET /v1/queues': json({ items: [] }) };
  }
});
afterEach(() => rm(home, { recursive: true }));

const call = (words: string[], env: Record<string, string> = {}) =>
  curtail(words, { env: { HOME: home, ...env } });
const config = (...words: string[]) => call(['config', ...words]);
const answerOf = async (words: string[], env?: Record<string, string>) => {
  const { status, stdout, stderr } = await call([...words, '-o', 'json'], env);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
};

/** `lab` is the current one; `prod` has the partition gpu and a token file. */
async function twoContexts(): Promise<void> {
  await writeFile(join(home, 'prod.token'), `${token}\n`, { mode: 0o600 });
  expect((await config('set-context', 'lab', '--server', lab.url)).status).toBe(0);
  const words = ['--server', prod.url, '--partition', 'gpu', '--token-file', '~/prod.token'];
  expect((await config('set-context', 'prod', ...words)).status).toBe(0);
}

describe('a context', () => {
  beforeEach(twoContexts);

  it('is the current one, or the one that a command names', async () => {
    await call(['get', 'queues']);
    expect(lab.seen[0]).toMatchObject({ url: expect.stringContaining('partition=default') });
    await call(['get', 'queues', '--context', 'prod']);
    expect(prod.seen[0]).toMatchObject({
      url: expect.stringContaining('partition=gpu'),
      headers: { authorization: `Bearer ${token}` },
    });
    await config('use-context', 'prod');
    expect((await config('current-context', '-o', 'table')).stdout).toBe('prod\n');
    await call(['get', 'queues', '--partition', 'cpu']);
    expect(prod.seen.some(({ url }) => url.includes('partition=cpu'))).toBe(true);
    await call(['plan', '--queue', 'root.a']);
    expect(prod.seen.at(-1)?.url).toContain('/partitions/gpu/queues/root.a/');
  });

  it('names the partition default in hints where commands would act on its own', async () => {
    for (const server of [lab, prod])
      server.replies['POST /v1/kill-switch'] = json({ partition: 'default', queue: 'root.a', stopped: true });
    const hintOf = async (words: string[], env: Record<string, string> = {}) =>
      (await call(['stop', '--partition', 'default', '--queue', 'root.a', ...words], env)).stderr;
    expect(await hintOf([])).toContain('curtail resume --queue root.a\n');
    expect(await hintOf([], { CURTAIL_PARTITION: 'gpu' })).toContain(
      'curtail resume --partition default --queue root.a\n',
    );
    expect(await hintOf(['--context', 'prod'])).toContain(
      'curtail --context prod resume --partition default --queue root.a\n',
    );
    prod.replies['GET /v1/queues'] = problemReply(404, {
      title: 'Not Found',
      remedy: 'run curtail mode --partition default',
    });
    const { stderr } = await call(['--context', 'prod', 'get', 'queues', '--partition', 'default']);
    expect(stderr).toContain('run curtail --context prod mode --partition default');
  });

  it('gives its token to its own server alone', async () => {
    await call(['get', 'queues', '--context', 'prod', '--server', lab.url]);
    expect(lab.seen[0]?.headers.authorization).toBeUndefined();
    await config('use-context', 'prod');
    await call(['get', 'queues'], { CURTAIL_SERVER: lab.url });
    expect(lab.seen[1]?.headers.authorization).toBeUndefined();
  });

  it('comes after options and the environment, unless an option names it; view shows what set each value', async () => {
    const env = {
      CURTAIL_SERVER: 'http://127.0.0.1:1',
      CURTAIL_PARTITION: 'east',
      CURTAIL_TOKEN: 'b'.repeat(16),
    };
    const view = (words: string[], given = {}) => answerOf(['config', 'view', ...words], given);
    expect(await view([])).toEqual({
      file: path,
      context: { value: 'lab', from: path },
      server: { value: lab.url, from: 'context lab' },
      partition: { value: 'default', from: 'default' },
      token: { value: null, from: 'default' },
    });
    expect(await view([], env)).toMatchObject({
      server: { value: env.CURTAIL_SERVER, from: 'CURTAIL_SERVER' },
      partition: { value: 'east', from: 'CURTAIL_PARTITION' },
      token: { value: 'set, not shown', from: 'CURTAIL_TOKEN' },
    });
    expect(await view(['--context', 'prod'], env)).toMatchObject({
      context: { value: 'prod', from: '--context' },
      server: { value: prod.url, from: 'context prod' },
      partition: { value: 'gpu', from: 'context prod' },
      token: { value: 'set, not shown', from: 'context prod' },
    });
    expect(await view(['--server', 'http://x', '--token', token], env)).toMatchObject({
      server: { value: 'http://x', from: '--server' },
      token: { from: '--token' },
    });
  });

  it('is listed, changed and removed, without a token, and comments stay', async () => {
    await writeFile(path, `# servers\n${await readFile(path, 'utf8')}`);
    await config('set-context', 'lab', '--partition', 'GPU');
    const { stdout } = await config('get-contexts', '-o', 'table');
    expect(stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' ').trim())).toEqual([
      'CURRENT NAME SERVER PARTITION CREDENTIALS',
      `* lab ${lab.url} gpu -`,
      `prod ${prod.url} gpu file ~/prod.token`,
      '',
    ]);
    expect((await config('delete-context', 'lab', '-o', 'table')).stdout).toContain(
      'no context is the current one',
    );
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/^# servers\n/);
    expect(text).not.toContain(token);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await config('current-context')).stderr).toContain(
      'next: choose one: curtail config use-context NAME',
    );
  });

  it('has a command that prints the token, and whose words are not shown', async () => {
    const print = `process.stdout.write('${token}')`;
    await config('set-context', 'prod', '--', process.execPath, '-e', print);
    await call(['get', 'queues', '--context', 'prod']);
    expect(prod.seen[0]?.headers.authorization).toBe(`Bearer ${token}`);
    const shown = (await config('get-contexts')).stdout + (await config('view', '--context', 'prod')).stdout;
    expect(shown).not.toContain(token);
    await config('set-context', 'prod', '--', process.execPath, '-e', 'process.exit(3)');
    expect((await call(['get', 'queues', '--context', 'prod'])).stderr).toContain('ended with status 3');
  });

  it('is named before the command, too', async () => {
    await call(['--context', 'prod', 'get', 'queues']);
    expect(prod.seen).not.toEqual([]);
  });

  it('is in the hints of a command that named it', async () => {
    const { stderr } = await call(['get', 'enforcements', '--context', 'nope']);
    expect(stderr).toBe(
      'error: there is no context "nope"; known are lab, prod\n' +
        'next: see them: curtail --context nope config get-contexts; make one: curtail --context nope config set-context NAME --server URL\n',
    );
  });
});

describe('the file of contexts', () => {
  const write = async (text: string) => {
    path = join(home, 'contexts.yaml');
    await writeFile(path, text, { mode: 0o600 });
    return curtail(['get', 'queues'], { env: { CURTAIL_CONFIG: path } });
  };

  it.each([
    ['contexts: {lab: {server: 7}}', '1:26: contexts.lab.server: is not a string'],
    ['contexts:\n  lab:\n    port: 7', '3:11: contexts.lab.port: unknown key'],
    ['contexts:\n  lab:\n    token: x', '3:12: contexts.lab.token: a secret does not belong here'],
    [
      'currentContext: prod\ncontexts: {lab: {}}',
      '1:17: currentContext: there is no context "prod"; known are lab',
    ],
    ['contexts: {lab: {credentials: {}}}', '1:31: contexts.lab.credentials: write one of tokenFile'],
    [
      'contexts: {lab: {credentials: {exec: [a, 7]}}}',
      '1:42: contexts.lab.credentials.exec.1: is not a string',
    ],
    ['contexts: {lab: [x]}', '1:17: contexts.lab: is not a mapping'],
    ['contexts: [x]', '1:11: contexts: is not a mapping of names to contexts'],
    ['contexts: [', '1:12: '],
  ])('with an error is refused with its place: %j', async (text, message) => {
    const { status, stderr } = await write(text);
    expect(status).toBe(2);
    expect(stderr).toContain(`error: ${path}:${message}`);
    expect((await curtail(['quantity', '1G'], { env: { CURTAIL_CONFIG: path } })).status).toBe(0);
  });

  it('is refused if others can write it, and a token file if others can read it', async () => {
    const tokenFile = join(home, 'token');
    await writeFile(tokenFile, token);
    await chmod(tokenFile, 0o644);
    const text = `currentContext: lab\ncontexts: {lab: {server: "${lab.url}", credentials: {tokenFile: token}}}`;
    expect((await write(text)).stderr).toBe(
      `error: the token file ${tokenFile} can be read by other users (mode 644)\nnext: chmod 600 ${tokenFile}\n`,
    );
    await chmod(path, 0o620);
    const { stderr } = await curtail(['get', 'queues'], { env: { CURTAIL_CONFIG: path } });
    expect(stderr).toBe(
      `error: ${path} can be written by other users (mode 620)\nnext: chmod go-w ${path}\n`,
    );
    expect(lab.seen).toEqual([]);
  });
});
