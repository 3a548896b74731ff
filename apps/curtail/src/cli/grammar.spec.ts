import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { json, problemReply, TestServer } from '../../testing/test-server.js';
import { curtail } from '../../testing/test-terminal.js';
import { allCommands } from './commands/index.js';
import { buildProgram } from './program.js';

/** Every command with its words, groups too. */
function commandsOf(command: Command, words: string[] = []): [words: string[], command: Command][] {
  return command.commands.flatMap((inner) => {
    const own = [...words, inner.name()];
    return [[own, inner], ...commandsOf(inner, own)] as [string[], Command][];
  });
}
const stream = new PassThrough();
const all = commandsOf(
  buildProgram({ stdin: stream, stdout: stream, stderr: stream, env: {} }, () => {}, await allCommands()),
).filter(([words]) => words[0] !== 'complete');
// A quantity may be negative, and begin with a dash.
const single = all.filter(([words, command]) => command.commands.length === 0 && words[0] !== 'quantity');
const nowhere = ['--server', 'http://127.0.0.1:1'];

it('there are many commands', () => expect(single.length).toBeGreaterThan(50));

describe.each(single)('curtail %j', (words, command) => {
  it('names a faulty option, as text and as JSON', async () => {
    // Commander first asks for options that are required.
    const required = command.options
      .filter(({ mandatory }) => mandatory)
      .flatMap(({ long }) => [long!, long === '--before' ? '1d' : '1']);
    const faulty = [...words, ...required, '--no-such-option'];
    const text = await curtail(faulty);
    expect(text).toMatchObject({ status: 2, stdout: '' });
    expect(text.stderr).toMatch(/^error: unknown option '--no-such-option'.*\nnext: /);
    const data = await curtail([...faulty, '-o', 'json']);
    expect(data).toMatchObject({ status: 2, stdout: '' });
    expect(data.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(data.stderr)).toEqual({
      error: {
        code: 'usage',
        message: expect.stringContaining("unknown option '--no-such-option'"),
        next: expect.any(String),
      },
    });
  });

  const takesMany = command.registeredArguments.some(({ variadic }) => variadic);
  if (!takesMany)
    it.each(['root.research', 'e-99dr3sgdmmb0', 'queues.yaml', 'surplus'])(
      'names a next step for an argument too many: %s',
      async (word) => {
        const filled = command.registeredArguments.map((argument) => argument.argChoices?.[0] ?? '1');
        const { status, stdout, stderr } = await curtail([...nowhere, ...words, ...filled, word], {
          columns: 200,
        });
        expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
        expect(stderr).toMatch(/^error: .+\n( {2}.+\n)*next: .+\n$/);
      },
    );

  const lengths = command.options.filter(({ flags }) => /<(time|length)>/.test(flags));
  if (lengths.length > 0)
    it.each(lengths.map(({ long }) => long))('%s reads 8h, 2w, 1d12h and PT8H, or says what does', (long) => {
      const { parseArg } = lengths.find((option) => option.long === long)!;
      expect(parseArg).toBeDefined();
      for (const text of ['8h', '2w', '1d12h', 'PT8H', 'P2W']) {
        const read = () => parseArg!(text, undefined as never);
        if (words[0] === 'freeze' && long !== '--duration') expect(read).toThrow(`--duration ${text}`);
        else expect(read).not.toThrow();
      }
      if (words[0] !== 'freeze') expect(() => parseArg!('8 hours', undefined as never)).toThrow('8h');
    });
});

describe('a queue as an argument', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    server.seen.length = 0;
    const run = { enforcement: 'e-99dr3sgdmmb0', queue: 'root.research' };
    server.replies = {
      'POST /v1/kill-switch': json({ partition: 'default', queue: 'root.research', configured: true }),
      'GET /v1/kill-switch': json({ items: [] }),
      'DELETE /v1/kill-switch': json({ partition: 'default', queue: 'root.research', cleared: 1 }),
      'POST /v1/freezes': json({
        ...{ partition: 'default', queue: 'root.research', freeze: 'f-1', inEffect: true },
        ...{ from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
      }),
      'DELETE /v1/freezes': json({ partition: 'default', cleared: ['f-1'], kept: [] }),
      'GET /v1/status': json({ partitions: [] }),
      'GET /v1/queues/root.research': json({
        queue: 'root.research',
        enforcement: run.enforcement,
        dueAt: null,
      }),
      'GET /v1/queues/root.reserch': problemReply(404, {
        type: 'urn:curtail:problem:unknown-queue',
        title: 'There is no such queue',
        detail: 'There is no queue root.reserch in partition default. Did you mean root.research?',
        meant: 'root.research',
      }),
      [`POST /v1/enforcements/${run.enforcement}/cancel`]: json(run),
      [`POST /v1/enforcements/${run.enforcement}/reject`]: json(run),
      'GET /v1/events': json({ items: [] }),
      'GET /v1/enforcements': json({ items: [] }),
    };
  });
  const call = (...words: string[]) => curtail(['--server', server.url, ...words], { columns: 200 });
  const changes = () =>
    server.seen
      .filter(({ method }) => method !== 'GET')
      .map(({ method, url, body }) => [method, decodeURIComponent(url), body]);

  it.each([['stop'], ['resume'], ['freeze', '--duration', '8h'], ['unfreeze']])(
    '%s: the same as --queue',
    async (...words) => {
      expect(await call(...words, 'root.Research')).toMatchObject({ status: 0 });
      const asArgument = changes();
      server.seen.length = 0;
      expect(await call(...words, '--queue', 'root.research')).toMatchObject({ status: 0 });
      expect(asArgument).toEqual(changes());
      expect(asArgument.flat().join()).toContain('root.research');
    },
  );

  it.each(['cancel', 'reject'])('%s: the run that it has', async (verb) => {
    expect(await call(verb, 'root.research')).toMatchObject({ status: 0 });
    expect(changes().map(([, url]) => url)).toEqual([`/v1/enforcements/e-99dr3sgdmmb0/${verb}`]);
  });

  it.each(['events', 'enforcements'])('get %s: those of the queue', async (noun) => {
    await call('get', noun, 'root.research');
    expect(server.seen[0]!.url).toContain('queue=root.research');
  });

  it.each([['stop', 'root.a', '--queue', 'root.b']])('%j names two', async (...words) => {
    const { status, stderr } = await call(...words);
    expect({ status, changes: changes() }).toEqual({ status: 2, changes: [] });
    expect(stderr).toContain('two queues are named');
  });

  it.each([
    [['stop', 'e-99dr3sgdmmb0'], 'curtail cancel e-99dr3sgdmmb0'],
    [['resume', 'f-99dr3sgdmmb0'], 'curtail unfreeze f-99dr3sgdmmb0'],
    [['unfreeze', 'stop/default/root.a'], 'curtail resume stop/default/root.a'],
    [['enforce', 'e-99dr3sgdmmb0'], 'curtail get enforcements e-99dr3sgdmmb0'],
    [['mode', 'root.research'], 'curtail stop root.research'],
    [['mode', 'observe', 'root.research'], 'curtail stop root.research'],
    [['get', 'root.research'], 'curtail get queues root.research'],
    [['plan', 'root.research'], 'curtail plan --queue root.research'],
    [['report', 'root.research'], 'curtail get enforcements --queue root.research'],
    [['what-if', 'root.research'], 'curtail what-if --queue root.research --max'],
    [['apply', 'root.research'], 'curtail apply FILE --queue root.research'],
    [['help', 'restore'], 'curtail --help'],
    [['dead-letters', 'lst'], 'curtail dead-letters --help'],
  ])('%j does nothing and names %j', async (words, next) => {
    const { status, stderr } = await call(...words);
    expect({ status, changes: changes() }).toEqual({ status: 2, changes: [] });
    expect(stderr).toMatch(/^error: /);
    expect(stderr.replaceAll(` --server ${server.url}`, '').split('\nnext: ')[1]).toContain(next);
  });

  it.each([['resume'], ['unfreeze'], ['get', 'events'], ['get', 'enforcements']])(
    '%s of a misspelt one fails with the one that is meant',
    async (...words) => {
      server.replies['DELETE /v1/kill-switch'] = json({ partition: 'default', queue: null, cleared: 0 });
      server.replies['DELETE /v1/freezes'] = json({ partition: 'default', cleared: [], kept: [] });
      const { status, stderr } = await call(...words, '--queue', 'root.reserch');
      expect(status).toBe(2);
      expect(stderr).toContain('Did you mean root.research?');
      const data = await call(...words, '--queue', 'root.reserch', '-o', 'json');
      expect(JSON.parse(data.stderr).error).toMatchObject({ status: 404, meant: 'root.research' });
    },
  );

  it('a bare stop acts at once and says what it covers and how to narrow or undo it', async () => {
    const { status, stdout, stderr } = await call('stop');
    expect(status).toBe(0);
    expect(changes()).toHaveLength(1);
    expect(stdout).toMatch(/all evictions in partition default are stopped .* every queue/);
    expect(stderr).toMatch(/^next: resume them: curtail .*resume; .* curtail .*stop QUEUE\n$/);
  });
});

describe('the version', () => {
  it('is that of --version, or an object', async () => {
    const { stdout } = await curtail(['--version']);
    expect(await curtail(['version'])).toEqual({ status: 0, stdout, stderr: '' });
    const data = await curtail(['version', '-o', 'json']);
    expect(JSON.parse(data.stdout)).toEqual({ version: stdout.trim() });
  });
});

it('help of a command is its --help', async () => {
  const asked = await curtail(['stop', '--help']);
  expect(await curtail(['help', 'stop'])).toEqual(asked);
  expect(asked.status).toBe(0);
});

it.each([
  [['stattus', 'stop'], "unknown command 'stattus'; did you mean status?"],
  [['--context', 'stop', '--output', 'json', '--help'], 'simulate'],
  [['get', 'resume'], 'resume evictions: curtail resume --help'],
  [['--utc', 'help', 'freeze'], 'curtail freeze'],
])('%j knows the commands that it needs', async (words, text) => {
  const { stdout, stderr } = await curtail(words, { columns: 200 });
  expect(stdout + stderr).toContain(text);
});
