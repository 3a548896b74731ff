import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Enforcement, Queue, Timer } from '#api-client';
import { json, lines, problemReply, TestServer } from '../../testing/test-server.js';
import { type Circumstances, curtail } from '../../testing/test-terminal.js';

let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start();
});
afterEach(() => server.stop());

const call = (argv: string[], circumstances: Circumstances = {}) =>
  curtail(argv, { ...circumstances, env: { CURTAIL_SERVER: server.url, ...circumstances.env } });
const asTable = (argv: string[], columns = 160) => call(['--no-color', ...argv], { columns });

const queue: Queue = {
  partition: 'default',
  queue: 'root.research',
  max: { vcore: 30_000, memory: 120e9 },
  guaranteed: { memory: 80e9 },
  delaySeconds: 20,
  usage: { vcore: 40_000, memory: 160e9 },
  inFlight: {},
  dueAt: null,
  enforcement: null,
  stopped: false,
  suspended: false,
  notMet: false,
  previousMax: null,
};
const timerDue = (seconds: number): Timer => ({
  partition: 'default',
  queue: 'root.research',
  kind: 'quota-decrease',
  enforcement: 'e-1',
  generation: 2,
  dueAt: new Date(Date.now() + seconds * 1000).toISOString(),
  state: 'pending',
  foresight: null,
  waiting: { code: 'due', message: 'Run e-1 is due.', about: { kind: 'enforcement', name: 'e-1' } },
});
const run: Enforcement = {
  enforcement: 'e-1',
  partition: 'default',
  policy: 'quota-decrease',
  round: null,
  notified: 0,
  queue: 'root.research',
  state: 'ended',
  outcome: 'satisfied',
  dueAt: '2026-11-21T10:00:00.000Z',
  startedAt: '2026-11-21T10:00:00.010Z',
  endedAt: '2026-11-21T10:00:05.000Z',
  lateMs: 10,
  mode: 'enforce',
  planOutcome: 'satisfied',
  target: { memory: 40e9 },
  claimed: { memory: 40e9 },
  shortfall: {},
  freed: { memory: 40e9 },
  victims: 10,
  evicted: 10,
  message: 'all went',
  updatedAt: '2026-11-21T10:00:05.000Z',
  waiting: null,
};

const submitted = () => server.seen.filter(({ method }) => method === 'PUT');

describe('get', () => {
  it('gives programs what the server says', async () => {
    server.replies['GET /v1/queues'] = json({ items: [queue] });
    const { status, stdout, stderr } = await call([
      'get',
      'queues',
      '--queue',
      'root.Research',
      '--limit',
      '7',
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ items: [queue] });
    expect(server.seen[0]?.url).toBe('/v1/queues?partition=default&queue=root.research&limit=7');
  });

  it('gives people a table, and shows where a queue is above its max', async () => {
    server.replies['GET /v1/queues'] = json({ items: [queue] });
    const { stdout } = await asTable(['get', 'queues']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['QUEUE', 'USED', 'MAX', 'DELAY', 'NOW'],
      ['root.research', '160 GB, 40 vcore', '120 GB, 30 vcore', '20 s', 'above its max'],
      [''],
    ]);
  });

  it('reports that a queue above its max comes down where enough is leaving', async () => {
    const leaving = { ...queue, inFlight: { memory: 40_000_000_000, vcore: 10_000 } };
    server.replies['GET /v1/queues'] = json({ items: [leaving] });
    expect((await asTable(['get', 'queues'])).stdout).toContain('above its max, coming down');
  });

  it.each([
    [{ memory: 50e9 }, '25 %: 50 GB'],
    [null, '25 %: unknown'],
  ])('of a queue tells the share of the cluster with what it comes to: %j', async (max, expected) => {
    const shared = { ...queue, max, clusterShare: { max: '1/4' } };
    server.replies['GET /v1/queues'] = json({ items: [shared] });
    expect((await asTable(['get', 'queues'])).stdout).toContain(`  ${expected}  `);
  });

  it.each([
    [{ stopped: true, suspended: true, dueAt: new Date(0).toISOString() }, 'stopped, clock suspended'],
    [{ suspended: true, dueAt: new Date(0).toISOString() }, 'suspended: enforcement is off'],
    [{ notMet: true }, 'quota not met'],
  ])('says of a queue with %j: %s', async (state, expected) => {
    server.replies['GET /v1/queues'] = json({ items: [{ ...queue, ...state }] });
    expect((await asTable(['get', 'queues'])).stdout).toMatch(new RegExp(`  ${expected}\\n`));
  });

  it('does not count down to a run whose clock stands still', async () => {
    server.replies['GET /v1/timers'] = json({ items: [{ ...timerDue(-60), state: 'suspended' }] });
    expect((await asTable(['get', 'timers'])).stdout).toMatch(/root\.research +- .*suspended/);
  });

  it('counts down to when a run starts, and says what moves it, in each list', async () => {
    const startsAt = new Date(Date.now() + 3_540_400).toISOString();
    const message = `Run e-1 is due at ${timerDue(420).dueAt} and waits until ${startsAt}: User ada froze root.research.`;
    const frozen = { code: 'frozen', message, about: { kind: 'queue', name: 'root.research' } };
    const start = { dueAt: timerDue(420).dueAt, startsAt, waiting: frozen };
    server.replies['GET /v1/timers'] = json({ items: [{ ...timerDue(420), ...start }] });
    server.replies['GET /v1/queues'] = json({ items: [{ ...queue, ...start }] });
    const scheduled = { ...run, state: 'scheduled', outcome: null, startedAt: null, endedAt: null, ...start };
    server.replies['GET /v1/enforcements'] = json({ items: [scheduled] });
    expect((await asTable(['get', 'timers'])).stdout).toMatch(
      /root\.research +in 59 min .*[\s\S]*User ada froze/,
    );
    expect((await asTable(['get', 'queues'])).stdout).toContain('run due in 59 min (frozen)');
    expect((await asTable(['get', 'enforcements'])).stdout).toContain('due in 59 min (frozen)');
    const waits = { startsAt: null, waiting: { ...frozen, code: 'ancestor-running' } };
    server.replies['GET /v1/queues'] = json({ items: [{ ...queue, ...start, ...waits }] });
    expect((await asTable(['get', 'queues'])).stdout).toContain('run waits (ancestor running)');
  });

  it('shows times in UTC with --utc, of this call alone', async () => {
    const timer = { ...timerDue(60), dueAt: '2026-11-21T23:59:58.000Z' };
    server.replies['GET /v1/timers'] = json({ items: [timer] });
    expect((await asTable(['--utc', 'get', 'timers'])).stdout).toContain('  2026-11-21 23:59:58Z  ');
    expect((await asTable(['get', 'timers'])).stdout).not.toContain('Z  ');
  });

  it('counts down to the run', async () => {
    server.replies['GET /v1/timers'] = json({ items: [timerDue(12.4)] });
    expect((await asTable(['get', 'timers'])).stdout).toMatch(/root\.research +in 12 s /);
    server.replies['GET /v1/timers'] = json({ items: [] });
    expect((await asTable(['get', 'timers'])).stdout).toBe('no clock runs in partition default\n');
  });

  it('knows one by its name, and suggests a list if there is none', async () => {
    server.replies['GET /v1/enforcements/e-1'] = json({ ...run, plannedVictims: [] });
    expect((await asTable(['get', 'enforcement', 'e-1'])).stdout).toMatch(/e-1 .*10 of 10[\s\S]*all went/);
    server.replies['GET /v1/timers'] = json({ items: [timerDue(1)] });
    const { status, stderr } = await call(['get', 'timers', 'root.other']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        'error: there is no timer root.other in partition default\nnext: list them: curtail get timers\n',
    });
  });

  it('turns pages up to the limit, and reports that there is more', async () => {
    const item = (position: number) => ({
      position: String(position),
      time: run.updatedAt,
      name: 'X',
      data: {},
    });
    server.replies['GET /v1/events'] = ({ url }, response) => {
      const page = url.includes('after=2')
        ? { items: [item(1)], next: '1' }
        : { items: [item(3), item(2)], next: '2' };
      return json(page)({} as never, response);
    };
    const { stdout, stderr } = await call(['get', 'events', '--limit', '3']);
    expect(JSON.parse(stdout).items.map(({ position }: { position: string }) => position)).toEqual([
      '3',
      '2',
      '1',
    ]);
    expect(server.seen.map(({ url }) => new URL(url, server.url).searchParams.get('limit'))).toEqual([
      '3',
      '1',
    ]);
    expect(stderr).toContain('there are more events than these 3');
  });

  it('suggests to compare versions only where there are two', async () => {
    const versions = (...numbers: number[]) =>
      json({
        items: numbers.map((version, i) => ({
          ...{ version, previous: numbers[i + 1] ?? null, appliedAt: run.startedAt, by: 'ada', via: 'http' },
          ...{
            inForce: i === 0,
            onlyQueue: null,
            rolledBackTo: null,
            digest: 'd1',
            added: 1,
            removed: 0,
            changed: 0,
          },
        })),
      });
    server.replies['GET /v1/partitions/default/configurations'] = versions(9, 7);
    expect((await asTable(['get', 'configurations'])).stderr).toBe(
      'next: compare two versions: curtail diff 7 9\n',
    );
    server.replies['GET /v1/partitions/default/configurations'] = versions(7);
    expect((await asTable(['get', 'configurations'])).stderr).toBe('');
  });

  it('gives names', async () => {
    server.replies['GET /v1/enforcements'] = json({ items: [run] });
    expect((await call(['get', 'enforcements', '-o', 'name', '--since', '2h'])).stdout).toBe(
      'enforcement/e-1\n',
    );
    expect(server.seen[0]?.url).toContain('&since=20');
  });

  it('takes names as it gives them, beside the word too', async () => {
    server.replies['GET /v1/timers'] = json({ items: [timerDue(1)] });
    for (const words of ['get timer/root.research', 'get timers timer/root.research'])
      expect((await call([...words.split(' '), '-o', 'name'])).stdout).toBe('timer/root.research\n');
    for (const words of ['explain queue queue/root.A', 'plan --queue queue/root.A'])
      expect((await call(words.split(' '))).status).toBe(2);
    expect(server.seen.slice(-2).map(({ url }) => url.split('?')[0])).toEqual([
      '/v1/queues/root.a/explanation',
      '/v1/partitions/default/queues/root.a/preview',
    ]);
  });

  it('limits events by time, run, author and user', async () => {
    server.replies['GET /v1/names/enforcement'] = json({ items: ['e-99dr3sgdmmb0'] });
    server.replies['GET /v1/events'] = json({ items: [] });
    server.replies['GET /v1/partitions'] = json({ items: [{ partition: 'default' }] });
    const { stdout } = await asTable(
      'get events --since 2h --until 2026-11-21T10:00:00Z --enforcement enforcement/e-99 --by anna --user ann'.split(
        ' ',
      ),
    );
    expect(stdout).toBe('no events of e-99dr3sgdmmb0 and ann by anna in that time in partition default\n');
    const { url } = server.seen.find(({ url }) => url.startsWith('/v1/events'))!;
    expect(Object.fromEntries(new URL(url, server.url).searchParams)).toMatchObject({
      ...{ until: '2026-11-21T10:00:00.000Z', enforcement: 'e-99dr3sgdmmb0', by: 'anna', user: 'ann' },
    });
    expect((await call(['get', 'queues', '--until', '2h'])).stderr).toContain('--until is for events');
  });

  it('keeps what an id holds from the terminal', async () => {
    server.replies['GET /v1/queues'] = json({ items: [{ ...queue, queue: 'root.\u001b[2Jx' }] });
    expect((await asTable(['get', 'queues'])).stdout).not.toContain('\u001b');
  });

  it.each([
    [['get', 'things'], 'write one of queues'],
    [['get', 'timers', '--since', '2h'], '--since is for the past'],
    [['get', 'events', '--since', 'noon'], 'how long ago'],
    [['get', 'events', '--limit', '0'], 'from 1 to 100000'],
    [['get', 'notices', 'x'], 'have no names'],
    [['--server', 'nowhere', 'get', 'queues'], 'is not an address'],
    [['--token', 'with blank', 'get', 'queues'], 'without spaces'],
  ])('%j ends with 2', async (argv, message) => {
    const { status, stdout, stderr } = await call(argv);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('with blank');
  });
});

describe('text from outside', () => {
  const evil = 'clear\u001b[2J\u009b2J';

  it('reaches no terminal raw: the message of a run, the data of an event, a letter, a note', async () => {
    server.replies['GET /v1/enforcements/e-1'] = json({
      ...run,
      message: `user ${evil} did`,
      plannedVictims: [],
    });
    const event = {
      ...{ position: '7', time: run.startedAt, name: 'ModeChanged', type: 't', stream: 's', version: 1 },
      ...{ queue: 'default', data: { by: evil } },
    };
    server.replies['GET /v1/events'] = json({ items: [event] });
    const letter = {
      ...{
        consumer: 'timer',
        event: '0197f3c2-8d1e-7b1a-9a53-1c8d2f4b6e70',
        topic: 't',
        key: evil,
        type: 'T',
      },
      ...{ parkedAt: run.startedAt, reason: evil, field: evil, source: evil, origin: evil, attempts: 1 },
      ...{ retryAskedAt: run.startedAt, retryBy: evil, retryAt: null, retryable: true, nextStep: evil },
      logged: {
        position: '7',
        partition: 'default',
        stream: evil,
        version: 3,
        time: run.startedAt,
        data: { evil },
      },
    };
    server.replies[`GET /v1/dead-letters/timer/${letter.event}`] = json(letter);
    server.replies['POST /v1/enforcements/e-99dr3sgdmmb0/approve'] = json({
      ...{ enforcement: 'e-99dr3sgdmmb0', queue: `root.${evil}`, note: evil },
    });
    server.replies['GET /v1/allocations/a/explanation'] = json({
      ...{ allocation: evil, partition: 'default', queue: evil, chosen: [], spared: [], tooLarge: [evil] },
    });
    for (const words of [
      ['get', 'enforcements', 'e-1'],
      ['get', 'events', '7'],
      ['dead-letters', 'show', `timer/${letter.event}`],
      ['approve', 'e-99dr3sgdmmb0', '--yes'],
      ['explain', 'allocation', 'a'],
    ]) {
      const { stdout, stderr } = await asTable(words);
      expect({ words, stdout }).toMatchObject({ stdout: expect.stringContaining('clear') });
      const raw = [...(stdout + stderr)].filter((letter) => letter === '\u001b' || letter === '\u009b');
      expect({ words, raw }).toEqual({ words, raw: [] });
    }
  });
});

describe('the environment', () => {
  it('shows where the server is, what it asks for, and the form of results', async () => {
    server.replies['GET /v1/enforcements'] = json({ items: [run] });
    const env = {
      CURTAIL_SERVER: server.url,
      CURTAIL_TOKEN: 'a-long-enough-token',
      CURTAIL_OUTPUT: 'name',
    };
    expect((await curtail(['get', 'enforcements'], { env })).stdout).toBe('enforcement/e-1\n');
    expect(server.seen[0]?.headers.authorization).toBe('Bearer a-long-enough-token');
    expect((await curtail(['get', 'enforcements', '-o', 'json'], { env })).stdout).toContain('{');
  });

  it('gets an error when it asks for an unknown format', async () => {
    const { status, stderr } = await curtail(['get', 'queues'], { env: { CURTAIL_OUTPUT: 'xml' } });
    expect(status).toBe(2);
    expect(stderr).toContain('CURTAIL_OUTPUT is "xml"; write one of table, wide, json, yaml, name');
  });
});

it('approve asks where the view of the run may be older than its wait for the approval', async () => {
  for (const [state, asks] of [
    ['planned', true],
    ['planning', true],
    ['executing', false],
    ['ended', false],
  ] as const) {
    server.replies['GET /v1/enforcements/e-0123456789ab'] = json({ ...run, state, round: 1 });
    server.replies['POST /v1/enforcements/e-0123456789ab/approve'] = problemReply(409, {
      detail: 'it does not wait',
    });
    const { stderr } = await call(['approve', 'e-0123456789ab']);
    expect({ state, asks: stderr.includes('Add --yes to confirm.') }).toEqual({ state, asks });
  }
});

describe('watch', () => {
  /** Gives these answers in turn; Ctrl-C after the last was shown. */
  async function watched(answers: unknown[][], argv: string[], columns?: number) {
    const interrupt = new AbortController();
    let asked = 0;
    server.replies['GET /v1/timers'] = (seen, response) => {
      if (asked === answers.length) interrupt.abort();
      return json({ items: answers[Math.min(asked++, answers.length - 1)] })(seen, response);
    };
    return call(['get', 'timers', '--watch', ...argv], {
      interrupted: interrupt.signal,
      ...(columns === undefined ? {} : { columns }),
    });
  }

  it('writes what is new or has changed, an object a line, until Ctrl-C', async () => {
    const first = timerDue(60);
    const { status, stdout, stderr } = await watched([[first], [first], [{ ...first, generation: 3 }]], []);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).generation),
    ).toEqual([2, 3]);
  });

  it.each(['timers', 'queues'])('of %s waits for a server that starts again', async (kind) => {
    const interrupt = new AbortController();
    const starting = problemReply(503, { title: 'Not ready', detail: 'Curtail is still starting.' });
    const replies = [json({ items: [] }), starting, starting, json({ items: [] })];
    server.replies[`GET /v1/${kind}`] = (seen, response) => {
      if (replies.length === 1) interrupt.abort();
      return replies.shift()!(seen, response);
    };
    const { status, stderr } = await call(['get', kind, '--watch'], { interrupted: interrupt.signal });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'waiting for the server, Ctrl-C to give up: Curtail is still starting.\n',
    });
  });

  it('draws the same lines again on a terminal', async () => {
    const { status, stdout } = await watched([[timerDue(60)], []], ['--no-color'], 120);
    expect(status).toBe(0);
    const [before, after] = stdout.split('\u001b[2A\r\u001b[J');
    expect(before).toMatch(/^QUEUE.*\nroot\.research +in (1 min|59 s) /);
    expect(after).toMatch(/^no clock runs in partition default\n/);
  });

  it('shows the reason of a wait, and no column for it where nothing waits', async () => {
    const { stdout } = await watched([[timerDue(60)]], ['--no-color', '-o', 'table']);
    expect(stdout).not.toContain('WHY');
    const waiting = {
      code: 'ancestor-running',
      message:
        'Run e-1 was due at 2026-11-21T10:00:00.000Z and waits for run e-2 of root, which is above it.',
      about: { kind: 'enforcement', name: 'e-2' },
    };
    server.replies['GET /v1/timers'] = json({ items: [{ ...timerDue(-5), state: 'waiting', waiting }] });
    const table = (await asTable(['get', 'timers'], 200)).stdout;
    expect(table).toMatch(/^QUEUE .* WHY$/m);
    expect(table).toMatch(
      / waiting +Run e-1 was due at .* and waits for run e-2 of root, which is above it\.$/m,
    );
    server.replies['GET /v1/timers'] = json({ items: [{ ...timerDue(-5), waiting: undefined }] });
    expect((await asTable(['get', 'timers'])).stdout).not.toContain('WHY');
  });

  const situation = (messages: string[], at: string) => ({
    at,
    attention: messages.map((message) => ({
      code: 'stopped',
      message,
      remedy: 'resume it',
      about: { kind: 'partition', name: 'default' },
    })),
    partitions: [],
    unread: 0,
    consumers: [],
    deadLetters: 0,
  });
  async function watchedStatus(answers: object[], argv: string[], columns?: number) {
    const interrupt = new AbortController();
    let asked = 0;
    server.replies['GET /v1/status'] = (seen, response) => {
      if (asked === answers.length) interrupt.abort();
      return json(answers[Math.min(asked++, answers.length - 1)])(seen, response);
    };
    return call(['--no-color', 'status', '--watch', ...argv], {
      interrupted: interrupt.signal,
      ...(columns === undefined ? {} : { columns }),
    });
  }
  const statuses = [
    situation(['User ann stopped evictions.'], '2026-11-21T10:00:00Z'),
    situation(['User ann stopped evictions.'], '2026-11-21T10:00:01Z'),
    situation([], '2026-11-21T10:00:02Z'),
  ];

  it('writes the status in a pipe as lines, each once and with its time', async () => {
    const { stdout, status } = await watchedStatus(statuses, ['-o', 'table']);
    expect(stdout.replaceAll(/^\S+ \S+( \S+)? {2}/gm, '')).toBe(
      'Needs attention: User ann stopped evictions.\nNothing needs attention.\n',
    );
    expect(status).toBe(0);
    const { stdout: objects } = await watchedStatus(statuses, ['-o', 'json']);
    expect(
      objects
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).at),
    ).toEqual(['2026-11-21T10:00:00Z', '2026-11-21T10:00:02Z']);
  });

  it('draws the status again on a terminal', async () => {
    const { stdout } = await watchedStatus([statuses[0]!, statuses[2]!], [], 80);
    // All seven lines of the screen before are replaced.
    const [before, after] = stdout.split('\u001b[7A\r\u001b[J');
    expect(before).toMatch(/^NEEDS ATTENTION \(1\)\nUser ann stopped evictions\.\n/);
    expect(after).toMatch(/^Nothing needs attention\.\n/);
  });

  it('writes events in their order, and none is missing where many come between two reads', async () => {
    const positions = (from: number, to: number) =>
      Array.from({ length: from - to + 1 }, (_, i) => ({
        position: String(from - i),
        time: '2026-11-21T10:00:00Z',
        name: 'ModeChanged',
        type: 't',
        stream: 's',
        version: 1,
        queue: 'default',
        data: {},
      }));
    const interrupt = new AbortController();
    // The log grows from 103 to 350 events; a page has 100 at first.
    let newest = 103;
    let lists = 0;
    server.replies['GET /v1/events'] = ({ url }, response) => {
      const query = new URL(url, server.url).searchParams;
      const limit = Number(query.get('limit'));
      const first = Number(query.get('after') ?? newest + 1) - 1;
      if (!query.has('after') && ++lists === 2) newest = 350;
      if (lists === 3) interrupt.abort();
      const from = query.has('after') ? first : newest;
      const to = Math.max(1, from - limit + 1);
      return json({ items: positions(from, to), ...(to > 1 ? { next: String(to) } : {}) })(
        { url } as never,
        response,
      );
    };
    const { stdout } = await call(['get', 'events', '--watch'], { interrupted: interrupt.signal });
    const written = stdout
      .trimEnd()
      .split('\n')
      .map((line) => Number(JSON.parse(line).position));
    expect(written).toEqual(Array.from({ length: 347 }, (_, i) => i + 4));
  });

  it('writes an older run that has changed, and notices of one moment once each', async () => {
    const interrupt = new AbortController();
    const older = { ...run, enforcement: 'e-1', state: 'evicting' };
    const newer = { ...run, enforcement: 'e-2' };
    const lists = [[newer, older], [newer, { ...older, state: 'ended' }], []];
    server.replies['GET /v1/enforcements'] = (seen, response) => {
      if (lists.length === 1) interrupt.abort();
      return json({ items: lists.shift() })(seen, response);
    };
    const { stdout } = await call(['get', 'enforcements', '--watch'], { interrupted: interrupt.signal });
    const written = stdout.trimEnd().split('\n');
    expect(written.map((line) => JSON.parse(line)).map((item) => [item.enforcement, item.state])).toEqual([
      ['e-1', 'evicting'],
      ['e-2', 'ended'],
      ['e-1', 'ended'],
    ]);

    const again = new AbortController();
    const notice = { code: 'unknown-key', at: '2026-11-21T10:00:00Z', message: 'one' };
    let asked = 0;
    server.replies['GET /v1/notices'] = (seen, response) => {
      if (++asked === 3) again.abort();
      return json({ items: [{ ...notice, message: 'two' }, notice] })(seen, response);
    };
    const notices = await call(['get', 'notices', '--watch'], { interrupted: again.signal });
    expect(
      notices.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).message),
    ).toEqual(['one', 'two']);
  });

  it('fails at once where there is nothing to watch', async () => {
    server.replies['GET /v1/enforcements/e-1'] = problemReply(404, {
      title: 'Not Found',
      detail: 'there is no e-1',
    });
    const { status, stderr } = await call(['get', 'enforcement', 'e-1', '--watch']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'error: there is no e-1\n' });
  });
});

describe('report', () => {
  it.each([
    ['owner', 'user'],
    ['policy', 'cause'],
    ['rule', 'rule'],
  ])('--by %s asks for the groups by %s', async (word, group) => {
    server.replies['GET /v1/report'] = json({
      ...{ since: '2026-11-01T00:00:00Z', until: '2026-11-28T00:00:00Z', by: group, groups: [] },
      total: { victims: 0, resources: {}, work: {} },
    });
    await call(['report', '--by', word]);
    expect(new URL(server.seen[0]!.url, server.url).searchParams.get('by')).toBe(group);
  });

  it('--by a word that is no group names the groups', async () => {
    const { status, stderr } = await call(['report', '--by', 'ower']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/queue, user, cause, rule, owner, policy/);
  });
});

describe('a configuration of the Capacity Scheduler', () => {
  const property = (name: string, value: string) =>
    `  <property>\n    <name>${name}</name>\n    <value>${value}</value>\n  </property>\n`;
  const key = 'yarn.scheduler.capacity.';
  const queues = property(`${key}root.queues`, 'a') + property(`${key}root.a.capacity`, '100');
  const written = `<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n${queues}</configuration>\n`;
  const applied = { version: 1, queues: 2, changed: [], warnings: [], partition: 'yarn' };

  it('is sent as XML, to the partition that is named', async () => {
    server.replies['PUT /v1/partitions/yarn/config'] = json(applied);
    const { status } = await call(['apply', '-f', '-', '--partition', 'Yarn'], { stdin: written });
    expect(status).toBe(0);
    expect(submitted()).toMatchObject([
      {
        url: `/v1/partitions/yarn/config?by=${encodeURIComponent(userInfo().username)}&format=capacity-scheduler&removeQueues=false`,
        headers: { 'content-type': 'application/xml' },
        body: written,
      },
    ]);
  });

  it('is sent together with what yarn-site.xml says of the same things, and no more of it', async () => {
    server.replies['PUT /v1/partitions/default/config'] = json(applied);
    const folder = await mkdtemp(join(tmpdir(), 'curtail-online-'));
    const site = join(folder, 'yarn-site.xml');
    const about = property('yarn.scheduler.minimum-allocation-mb', '512');
    await writeFile(site, `<configuration>${about}${property('secret', 'hush')}</configuration>`);
    await call(['apply', '-f', '-', '--yarn-site', site], { stdin: written });
    await rm(folder, { recursive: true });
    expect(server.seen[0]?.body).toBe(written.replace('</configuration>', `${about}</configuration>`));
  });

  it('has what is on by default in the first line, and in JSON in a warning', async () => {
    const warning = {
      code: 'preemption-by-default',
      path: 'yarn.enabled',
      message: 'is not set, so Curtail turns in-queue preemption on',
    };
    server.replies['PUT /v1/partitions/default/config'] = json({ ...applied, warnings: [warning] });
    const table = await call(['apply', '-f', '-', '-o', 'table'], { stdin: written });
    expect(table.stdout.split('\n')[0]).toBe(
      'on by default: yarn.enabled is not set, so Curtail turns in-queue preemption on (preemption-by-default)',
    );
    expect(table.stderr).not.toContain('in-queue preemption');
    const asJson = await call(['apply', '-f', '-', '-o', 'json'], { stdin: written });
    expect(JSON.parse(asJson.stdout).warnings).toEqual([warning]);
    expect(asJson.stderr).toContain('warning: <stdin>: yarn.enabled: is not set');
  });

  it('is compared together with yarn-site.xml, as an argument too', async () => {
    const answer = { partition: 'default', at: '2026-11-28T00:00:00Z', mode: 'enforce', alternatives: [] };
    server.replies['POST /v1/what-if'] = json(answer);
    const folder = await mkdtemp(join(tmpdir(), 'curtail-online-'));
    const [site, file] = [join(folder, 'yarn-site.xml'), join(folder, 'capacity-scheduler.xml')];
    const about = property('yarn.scheduler.minimum-allocation-mb', '512');
    await writeFile(site, `<configuration>${about}</configuration>`);
    await writeFile(file, written);
    for (const words of [[file], ['-f', file]])
      expect((await call(['what-if', ...words, '--yarn-site', site])).stderr).toContain(
        'nothing was changed',
      );
    const wrong = await call(['what-if', '--queue', 'root.a', '--max', 'vcore=1', '--yarn-site', site]);
    await rm(folder, { recursive: true });
    expect(wrong.stderr).toContain('--yarn-site goes with a capacity-scheduler.xml');
    const configurations = server.seen.map(({ body }) => JSON.parse(body).alternatives[0].configuration);
    expect(configurations).toEqual(
      Array.from({ length: 2 }, () => written.replace('</configuration>', `${about}</configuration>`)),
    );
  });

  it('is compared also where another one is refused here already, which the answer then contains', async () => {
    const outcome = { name: 'good.xml', changedQuotas: 3, victims: 2, moreRemoved: 0 };
    const removed = [
      { queue: 'root.b', usage: {} },
      { queue: 'root.a', usage: { vcore: 4000 } },
    ];
    const alternatives = [{ ...outcome, quotaPreemptionEnabled: true, removed }];
    server.replies['POST /v1/what-if'] = json({
      partition: 'default',
      at: '2026-11-28T00:00:00Z',
      mode: 'enforce',
      alternatives,
    });
    const folder = await mkdtemp(join(tmpdir(), 'curtail-online-'));
    const [bad, good] = [join(folder, 'bad.yaml'), join(folder, 'good.xml')];
    await writeFile(bad, 'partitions: 3');
    await writeFile(good, written);
    const { status, stdout, stderr } = await call(['what-if', bad, good, '-o', 'table']);
    await rm(folder, { recursive: true });
    expect(status).toBe(2);
    expect(stdout).toMatch(/bad\.yaml +- +refused: 1 error/);
    expect(stdout).toMatch(/good\.xml +1, removes 2 +2 /);
    expect(stdout).toMatch(
      /WOULD BE REMOVED\nQUEUE +RUNS ON WITHOUT A QUOTA\nroot\.a +4 vcore\nroot\.b +-\n/,
    );
    expect(stderr.match(/bad\.yaml/g)).toHaveLength(1);
    expect(JSON.parse(server.seen[0]!.body).alternatives).toHaveLength(1);
  });

  it('of EMR is sent as it is, and with a yarn-site as the file of the scheduler', async () => {
    server.replies['PUT /v1/partitions/default/config'] = json(applied);
    const properties = { [`${key}root.queues`]: 'a', [`${key}root.a.capacity`]: '100' };
    const emr = JSON.stringify([{ Classification: 'capacity-scheduler', Properties: properties }]);
    expect((await call(['apply', '-f', '-'], { stdin: emr })).status).toBe(0);
    const folder = await mkdtemp(join(tmpdir(), 'curtail-online-'));
    const site = join(folder, 'yarn-site.xml');
    const about = property('yarn.scheduler.minimum-allocation-mb', '512');
    await writeFile(site, `<configuration>${about}</configuration>`);
    await call(['apply', '-f', '-', '--yarn-site', site], { stdin: emr });
    await rm(folder, { recursive: true });
    expect(submitted().map(({ body, headers }) => [headers['content-type'], body])).toEqual([
      ['application/yaml', emr],
      ['application/xml', written.replace('</configuration>', `${about}</configuration>`)],
    ]);
  });

  it('is exported as it can be applied again', async () => {
    const sent = `<configuration><!-- two --><property><description>d</description>${queues.replace('  <property>', '')}</configuration>`;
    server.replies['GET /v1/partitions/default/config'] = json({ format: 'capacity-scheduler', body: sent });
    expect((await call(['export'])).stdout).toBe(written);
    expect(JSON.parse((await call(['export', '-o', 'json'])).stdout)).toMatchObject({ body: sent });
    server.replies['GET /v1/partitions/default/config'] = json({
      format: 'yunikorn',
      body: 'partitions: []',
    });
    expect((await call(['export'])).stdout).toBe('partitions: []\n');
  });
});

describe('a configuration with pool trees', () => {
  it('is sent for each of its trees', async () => {
    for (const partition of ['a', 'b']) {
      server.replies[`PUT /v1/partitions/${partition}/config`] = json({
        partition,
        queues: 1,
        changed: [],
        warnings: [],
      });
    }
    const { status } = await call(['apply', '-f', '-'], { stdin: 'pool_trees: {A: {}, b: {}}\n' });
    expect(status).toBe(0);
    expect(submitted().map(({ url }) => url)).toEqual([
      `/v1/partitions/a/config?by=${encodeURIComponent(userInfo().username)}&format=ytsaurus&removeQueues=false`,
      `/v1/partitions/b/config?by=${encodeURIComponent(userInfo().username)}&format=ytsaurus&removeQueues=false`,
    ]);
  });
});

describe('apply', () => {
  const configuration = 'partitions:\n  - name: Default\n    queues:\n      - name: root\n';
  const file = ['apply', '-f', '-'];

  it('does not send what cannot be right, and shows where it is wrong', async () => {
    const { status, stderr } = await call(file, {
      stdin: 'partitions:\n  - name: default\n    queues: []\n    size: 1\n',
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: <stdin>:4:5: partitions\[0\]\.size: /);
    expect(server.seen).toEqual([]);
  });

  it('shows what the server refuses with the places in the file', async () => {
    server.replies['PUT /v1/partitions/default/config'] = problemReply(422, {
      type: 'urn:curtail:problem:configuration-refused',
      title: 'The configuration is refused',
      detail: '1 thing is wrong',
      errors: [{ path: 'partitions[0]', message: 'is odd', line: 2, column: 5 }],
    });
    const { status, stderr } = await call(file, { stdin: configuration });
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'error: <stdin>:2:5: partitions[0]: is odd\n' });
  });

  it('sends the text as it is, to the partition in it', async () => {
    server.replies['PUT /v1/partitions/default/config'] = json({
      partition: 'default',
      version: 1,
      quotaPreemptionEnabled: true,
      previousQuotaPreemptionEnabled: true,
      queues: 1,
      changed: [],
      warnings: [{ code: 'delay-unusual', path: 'p', message: 'is short', line: 4, column: 9 }],
    });
    const { status, stderr } = await call(file, { stdin: configuration });
    expect(status).toBe(0);
    expect(server.seen[0]).toMatchObject({
      body: configuration,
      headers: { 'content-type': 'application/yaml' },
    });
    expect(stderr).toBe('warning: <stdin>:4:9: p: is short\nnext: see the queues: curtail get queues\n');
  });

  it('points to the rounds where a policy that works in rounds starts', async () => {
    server.replies['PUT /v1/partitions/default/config'] = json({
      partition: 'default',
      version: 1,
      quotaPreemptionEnabled: false,
      previousQuotaPreemptionEnabled: false,
      policyChanges: [{ policy: 'intra-queue', change: 'starts', settings: [] }],
      queues: 1,
      changed: [],
      warnings: [],
    });
    const { status, stderr } = await call(file, { stdin: configuration });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'next: see what its rounds find: curtail get rounds\n',
    });
  });

  it('shows which partitions there are', async () => {
    const { status, stderr } = await call([...file, '--partition', 'gpu'], { stdin: configuration });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'error: the file has no partition gpu; it has default\n',
    });
  });

  it.each([
    [0, 0],
    [3, 1],
  ])('ends a preview of %s victims with %s', async (victims, status) => {
    server.replies['PUT /v1/partitions/default/config'] = json({
      partition: 'default',
      quotaPreemptionEnabled: true,
      previousQuotaPreemptionEnabled: true,
      changed: [],
      removed: [],
      notPlanned: 0,
      rounds: [],
      victims,
      warnings: [],
    });
    expect((await call([...file, '--dry-run'], { stdin: configuration })).status).toBe(status);
    expect(server.seen[0]?.url).toContain('dryRun=true');
  });
});

describe('the next step', () => {
  const plan = { policy: 'quota-decrease', queue: 'root.a', outcome: 'satisfied', shares: [], notices: [] };
  const none = { target: {}, inFlight: {}, claimed: {}, shortfall: {}, overshoot: {}, collateral: {} };
  const victim = {
    allocation: 'a-1',
    rank: 1,
    queue: 'root.a',
    application: 'x',
    resources: {},
    reason: 'so',
  };
  const preview = (of: object, victims: object[] = [victim]) =>
    json({
      ...{
        partition: 'default',
        queue: 'root.a',
        at: '2026-11-28T00:00:00Z',
        enforcement: null,
        running: null,
      },
      ...{ quotaPreemptionEnabled: true, delaySeconds: 20, ...of },
      run: { order: 1, dueAt: null, waitsFor: [], held: [], plan: { ...plan, ...none, victims } },
    });

  it.each([
    [{}, 'next: request this run: curtail enforce root.a'],
    [{ delaySeconds: 0 }, 'next: its delay is 0, so no run starts'],
    [{ quotaPreemptionEnabled: false }, 'next: to have it enforced, set quotapreemptionenabled'],
    [{ enforcement: 'e-1', delaySeconds: 0 }, 'next: prevent it: curtail cancel e-1'],
  ])('of a plan of a queue with %j is %s', async (of, next) => {
    server.replies['GET /v1/partitions/default/queues/root.a/preview'] = preview(of);
    expect((await call(['plan', '--queue', 'root.a'])).stderr).toContain(next);
  });

  it('is none where a plan has no victims, which its first line says', async () => {
    server.replies['GET /v1/partitions/default/queues/root.a/preview'] = preview({}, []);
    const { stdout, stderr } = await call(['plan', '--queue', 'root.a', '-o', 'table']);
    expect(stdout).toContain('A run now would evict nothing:\n');
    expect(stderr).not.toContain('next:');
  });

  it('of resume names the clocks only where something was stopped', async () => {
    server.replies['GET /v1/kill-switch'] = json({ items: [] });
    for (const [cleared, next] of [
      [0, 'next: see what is stopped or waits: curtail status'],
      [1, 'next: see which clocks run again: curtail get timers'],
    ] as const) {
      server.replies['DELETE /v1/kill-switch'] = json({ partition: 'default', queue: null, cleared });
      expect((await call(['resume'])).stderr).toContain(next);
    }
  });

  it('of a list that is longer counts one as one', async () => {
    server.replies['GET /v1/enforcements'] = json({ items: [run], next: '1' });
    expect((await call(['get', 'enforcements', '--limit', '1'])).stderr).toContain(
      'there are more enforcements than this one: raise --limit',
    );
  });
});

describe('an empty list', () => {
  beforeEach(() => {
    server.replies['GET /v1/queues'] = json({ items: [] });
    server.replies['GET /v1/enforcements'] = json({ items: [] });
  });

  it.each([
    [['queues'], 'no queues in partition default: no configuration is in force'],
    [['queues', '--partition', 'gpu'], 'no queues in partition gpu: no configuration'],
    [['queues', '--queue', 'root.nope'], 'no queues for root.nope or below it in partition default'],
    [['enforcements', '--since', '2h'], 'no enforcements since then in partition default'],
  ])('get %j says of what there is none', async (words, text) => {
    expect((await asTable(['get', ...words])).stdout).toContain(text);
  });

  it('of a queue leads to the names of all, for it may be misspelt', async () => {
    const { status, stderr } = await asTable([
      'get',
      'enforcements',
      '--queue',
      'root.nope',
      '--partition',
      'gpu',
    ]);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'next: see which queues there are: curtail get queues --partition gpu\n',
    });
  });
});

describe('a run that waits for approval', () => {
  it.each([
    ['waiting for approval', 'next: continue a waiting run with curtail approve e-1'],
    ['ended', ''],
  ])('%s: the list says %j', async (state, text) => {
    server.replies['GET /v1/enforcements'] = json({ items: [{ ...run, state }] });
    const { stderr } = await asTable(['get', 'enforcements']);
    expect(stderr.startsWith(text) && stderr.includes('approve') === (text !== '')).toBe(true);
  });
});

describe('commands of an operator', () => {
  it('goes into the log under the name of the user', async () => {
    server.replies['POST /v1/enforcements/e-1/cancel'] = json({
      enforcement: 'e-1',
      queue: 'root.a',
      was: 'planned',
    });
    const { status, stdout, stderr } = await asTable(['cancel', 'e-1', '--reason', 'later']);
    const sent = server.seen.find(({ method }) => method === 'POST');
    expect(JSON.parse(sent?.body ?? '')).toEqual({ by: userInfo().username, reason: 'later' });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'run e-1 of root.a was cancelled (it was planned)\n',
    });
    expect(stderr).toContain('next: see its outcome: curtail get enforcements e-1');
  });

  it('stops a queue, and shows how to go on', async () => {
    server.replies['POST /v1/kill-switch'] = json({ partition: 'gpu', queue: 'root.a', stopped: true });
    const { stderr } = await asTable(['stop', '--partition', 'GPU', '--queue', 'root.A']);
    const { by, ...sent } = JSON.parse(server.seen[0]?.body ?? '') as Record<string, unknown>;
    expect(sent).toEqual({ partition: 'gpu', queue: 'root.a' });
    expect(stderr).toContain('curtail resume --partition gpu --queue root.a');
  });

  it('passes on that a stop is of a queue that does not exist yet, and warns of it', async () => {
    const held = { partition: 'default', queue: 'root.aa', stopped: true };
    server.replies['POST /v1/kill-switch'] = json({ ...held, configured: false });
    expect((await asTable(['stop', '--queue', 'root.aa', '--allow-unknown'])).stderr).toContain(
      'warning: no configuration in force has the queue root.aa of partition default: is the name right?',
    );
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ allowUnknown: true });
    server.replies['POST /v1/kill-switch'] = json({ ...held, configured: true });
    expect((await asTable(['stop', '--queue', 'root.aa'])).stderr).not.toContain('warning');
  });

  it('knows two modes', async () => {
    expect((await call(['mode', 'watch'])).stderr).toContain('write observe or enforce');
    expect(server.seen).toEqual([]);
  });
});

describe('replay', () => {
  const different = [{ enforcement: 'e-1', queue: 'root.a', recorded: 'aa', replayed: 'bb' }];
  it.each([
    [{ plans: 2, same: 2, different: [], notKept: 0 }, 0, '2 plans read: 2 came out the same\n'],
    [{ plans: 2, same: 1, different: [], notKept: 1 }, 0, /1 cannot be recomputed/],
    [
      { plans: 1, same: 0, different, notKept: 0 },
      2,
      /1 came out differently\nENFORCEMENT[\s\S]*e-1 +root\.a +aa +bb/,
    ],
  ])('%j ends with %s', async (result, status, text) => {
    server.replies['POST /v1/replays'] = lines([{ done: 0, of: 2 }, { result }]);
    const called = await asTable(['replay', '--into', 'digest', '--from', '2026-11-21T10:00:00Z']);
    expect(called.status).toBe(status);
    expect(called.stdout).toMatch(text);
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({
      into: 'digest',
      from: '2026-11-21T10:00:00.000Z',
      by: userInfo().username,
    });
  });

  it('shows what it goes on with, and what the read model holds now', async () => {
    server.replies['POST /v1/replays'] = lines([
      { replay: 'r-1', resumed: true, unit: 'events', done: 400, of: 1000 },
      { replay: 'r-1', resumed: true, unit: 'events', done: 1000, of: 1000 },
      {
        result: {
          events: 1000,
          runs: 50,
          victims: 300,
          notices: 1,
          unreadable: { count: 1, first: ['event 7 …'] },
        },
      },
    ]);
    const { status, stdout, stderr } = await asTable(['replay', '--into', 'projections', '--restart']);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout:
        '1000 events read into 50 runs, 300 victims and 1 notice, now in use\n' +
        '1 event left out, which this version cannot read:\n  event 7 …\n',
      stderr: expect.stringContaining('r-1 resumes at 400 of 1000 events\n'),
    });
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ into: 'projections', restart: true });
  });

  const shadow = {
    settings: { fit: 'within' },
    plans: 3,
    same: 1,
    differ: 1,
    different: [
      {
        enforcement: 'e-1',
        queue: 'root.a',
        outcome: 'satisfied',
        shadowOutcome: 'best-effort',
        victims: 3,
        shadowVictims: 2,
        added: 1,
        removed: 2,
        addedFirst: ['a-9'],
        removedFirst: ['a-1', 'a-2'],
        freedDifference: { memory: -20e9, vcore: 1000 },
      },
    ],
    notKept: { count: 1, first: ['e-7'] },
    recorded: { victims: 5, freed: { memory: 60e9 } },
    shadow: { victims: 4, freed: { memory: 40e9, vcore: 1000 } },
    added: 1,
    removed: 2,
  };

  it('shows what other settings would have made, run by run and in sum', async () => {
    server.replies['POST /v1/replays'] = lines([{ result: shadow }]);
    const { status, stdout } = await asTable([
      ...['replay', '--into', 'shadow', '--set', 'fit=within', '--set', 'miss=5'],
      ...['--set', 'protect={"users":["ann"]}'],
    ]);
    expect(status).toBe(0);
    expect(JSON.parse(server.seen[0]?.body ?? '').settings).toEqual({
      fit: 'within',
      miss: 5,
      protect: { users: ['ann'] },
    });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['3 plans recomputed with {"fit":"within"}: 1 would differ, 1 would not'],
      ['1 cannot be recomputed, since their inputs are no longer kept: e-7'],
      expect.anything(),
      ['as recorded', '5', '-', '-', '60 GB'],
      ['with the settings', '4', '1', '2', '40 GB, 1 vcore'],
      [''],
      ['ENFORCEMENT', 'QUEUE', 'OUTCOME', 'VICTIMS', 'ADDED', 'REMOVED', 'MORE', 'LESS'],
      ['e-1', 'root.a', 'satisfied → best-effort', '3 → 2', '1: a-9', '2: a-1, a-2', '1 vcore', '20 GB'],
      [''],
    ]);
  });

  it('reads settings from a file, and refuses what is none', async () => {
    server.replies['POST /v1/replays'] = lines([{ result: shadow }]);
    const into = ['replay', '--into', 'shadow', '--settings', '-', '--set', 'miss=7'];
    await call(into, { stdin: '{"fit":"within","miss":5}' });
    expect(JSON.parse(server.seen[0]?.body ?? '').settings).toEqual({ fit: 'within', miss: 7 });
    expect((await call(into, { stdin: '[1]' })).stderr).toMatch(
      /^error: - holds no settings: write an object/,
    );
    expect((await call(['replay', '--set', 'miss=7'])).stderr).toMatch(/^error: .* are for --into shadow/);
    expect((await call(['replay', '--set', 'miss'])).stderr).toContain('Write a name and a value');
  });

  it('stops one that runs, and shows all of them', async () => {
    server.replies['DELETE /v1/replays/r-1'] = json({ replay: 'r-1', stopping: true, was: 'running' });
    expect((await asTable(['replay', '--stop', 'r-1'])).stdout).toBe('r-1 stops at its next page\n');
    const at = new Date().toISOString();
    const item = {
      replay: 'r-1',
      into: 'kafka',
      request: { topic: 'curtail.plans' },
      state: 'interrupted',
      by: 'ann',
      host: 'h',
      done: 5,
      of: 9,
      startedAt: at,
      updatedAt: at,
      endedAt: null,
      message: null,
      result: null,
    };
    server.replies['GET /v1/replays'] = json({ items: [item] });
    expect((await asTable(['get', 'replays'])).stdout).toMatch(
      /r-1 +kafka curtail.plans +interrupted +5 of 9 +ann/,
    );
  });
});

describe('republish', () => {
  it.each([
    [[], '7 events of curtail.plans sent, marked as replayed\n', {}],
    [['--dry-run'], '7 events of curtail.plans would be sent; nothing was\n', { dryRun: true }],
  ])('with %j shows what was sent', async (options, text, request) => {
    server.replies['POST /v1/republications'] = lines([{ result: { topic: 'curtail.plans', events: 7 } }]);
    const { status, stdout } = await asTable(['republish', '--topic', 'curtail.plans', ...options]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: text });
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({
      topic: 'curtail.plans',
      by: userInfo().username,
      ...request,
    });
  });
});

describe('a hint', () => {
  it('is written as this call was, and names the server that this one named', async () => {
    server.replies['GET /v1/pools'] = json({ items: [] });
    const npx = { call: 'npx curtail', columns: 80 };
    const { stdout, stderr } = await call(['get', 'pools', '--partition', 'gpu'], npx);
    expect(stdout).toBe(
      'no pools in partition gpu: no configuration in force switches on the policy\n' +
        '  fair-share, no nodes of the partition are known, or no round has run yet\n',
    );
    expect(stderr).toMatch(/^next: .* npx curtail apply -f FILE.* npx curtail get pools --partition NAME\n$/);
    const named = await call(['get', 'pools', '--server', server.url], npx);
    expect(named.stderr).toContain(`npx curtail --server ${server.url} get pools`);
  });

  it('of an error names the server that this call named, too', async () => {
    server.replies['GET /v1/enforcements/e-1'] = problemReply(404, {
      title: 'Not Found',
      detail: 'There is no e-1.',
      remedy: 'List them: curtail get enforcements',
    });
    const named = await call(['get', 'enforcements', 'e-1', '--server', server.url], { call: 'npx curtail' });
    expect(named.status).toBe(2);
    expect(named.stderr).toContain(`List them: npx curtail --server ${server.url} get enforcements`);
  });

  it('names the partition where it is not the usual one', async () => {
    server.replies['GET /v1/pools'] = json({
      items: [
        {
          kind: 'pool',
          name: 'root.web',
          queue: 'root.web',
          fairShare: 0.5,
          usageShare: 0,
          demandShare: 0.5,
          satisfaction: 0,
          status: 'below_fair_share',
          starvation: 'starving',
          belowFairShareSince: '2026-11-21T10:00:00Z',
          starvingSince: '2026-11-21T10:00:30Z',
          takenAt: '2026-11-21T10:01:00Z',
        },
      ],
    });
    const { stderr } = await call(['get', 'pools', '--partition', 'gpu'], { columns: 80 });
    expect(stderr).toBe(
      'next: see who waits there: curtail get operations --partition gpu --queue root.web\n',
    );
  });
});

describe('a refused field', () => {
  const refused = (path: string, message: string) =>
    problemReply(400, {
      type: 'urn:curtail:problem:bad-input',
      title: 'The input cannot be used',
      detail: message,
      errors: [{ path, message }],
    });

  it.each([
    ['timeZone', 'freeze --until x --time-zone Europe/Berln', '--time-zone'],
    ['until', 'freeze --until x', '--until'],
    ['query.type', 'get events --type VictimEvictd', '--type'],
    ['query.user', 'get foreseen', '--user'],
    ['alternatives[0].quotas[0].max.mem', 'what-if --queue root.a --max mem=1', '--max mem=…'],
    ['alternatives[0].quotas[0].max."a/b"', 'what-if --queue root.a --max a/b=1', '--max "a/b"=…'],
    ['alternatives[0].quotas[0].queue', 'what-if --queue root.a --max mem=1', '--queue'],
    ['settings.fit', 'replay --into shadow --set fit=x', '--set fit=…'],
    ['queue', 'enforce root.a --yes', '<queue>'],
    ['query.position', 'get events', 'position'],
  ])('%s of `%s` is named as the caller gave it: %s', async (path, argv, shown) => {
    for (const route of [
      ...['POST /v1/freezes', 'GET /v1/events', 'GET /v1/foreseen', 'POST /v1/what-if', 'POST /v1/replays'],
      'POST /v1/queues/root.a/enforce',
    ])
      server.replies[route] = refused(path, 'it is wrong');
    const { stderr, status } = await call(argv.split(' '));
    expect(stderr).toBe(`error: ${shown}: it is wrong\n`);
    expect(status).toBe(2);
  });

  it('is named so inside a sentence too, and where there are several', async () => {
    server.replies['POST /v1/freezes'] = problemReply(400, {
      type: 'urn:curtail:problem:bad-input',
      title: 'The input cannot be used',
      detail: '2 errors in the input.',
      errors: [
        { path: 'from', message: 'set timeZone' },
        { path: 'timeZone', message: 'it is empty' },
      ],
    });
    const { stderr } = await call(['freeze', '--from', 'x']);
    expect(stderr).toBe(
      'error: 2 errors in the input.\n  --from: set --time-zone\n  --time-zone: it is empty\n',
    );
  });
});
