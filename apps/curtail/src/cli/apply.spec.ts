import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { json, problemReply, type Reply, TestServer } from '../../testing/test-server.js';
import { curtail } from '../../testing/test-terminal.js';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await TestServer.start();
  folder = await mkdtemp(join(tmpdir(), 'curtail-apply-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  server.seen.length = 0;
  server.replies = {};
  for (const partition of ['east', 'west', 'gpu'])
    server.replies[address(partition)] = json(applied(partition));
});

const address = (partition: string) => `PUT /v1/partitions/${partition}/config`;
const applied = (partition: string) => ({
  partition,
  version: 1,
  quotaPreemptionEnabled: true,
  previousQuotaPreemptionEnabled: true,
  queues: 1,
  changed: [],
  warnings: [],
});
const configuration = (...partitions: string[]) =>
  `partitions:\n${partitions.map((name) => `  - name: ${name}\n    queues: []\n`).join('')}`;
const file = async (name: string, text: string) => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};
const apply = (words: string[], stdin?: string) =>
  curtail(['apply', ...words], {
    env: { CURTAIL_SERVER: server.url },
    ...(stdin === undefined ? {} : { stdin }),
  });
const sent = () =>
  server.seen.filter(({ method }) => method === 'PUT').map(({ url, body }) => [url.split('/')[3], body]);

describe('apply of several files', () => {
  it('puts each of them in force, standard input among them', async () => {
    const east = await file('east.yaml', configuration('east'));
    const { status, stdout } = await apply(['-f', east, '-f', '-'], configuration('west', 'gpu'));
    expect(status).toBe(0);
    expect(sent()).toEqual([
      ['east', configuration('east')],
      ['west', configuration('west', 'gpu')],
      ['gpu', configuration('west', 'gpu')],
    ]);
    expect(JSON.parse(stdout)).toMatchObject([
      { partition: 'east' },
      { partition: 'west' },
      { partition: 'gpu' },
    ]);
  });

  it('takes the configurations of a folder by name, and nothing else that is in it', async () => {
    const inside = join(folder, 'all');
    await mkdir(join(inside, 'deeper.yaml'), { recursive: true });
    await file('all/b.yml', configuration('west'));
    await file('all/a.json', '{"partitions":[{"name":"east","queues":[]}]}');
    await file('all/c.yson', '{pool_trees={gpu={config={}}}}');
    await file('all/readme.md', '# Quotas');
    await file('all/.b.yml.swp', 'x');
    expect((await apply(['-f', inside])).status).toBe(0);
    expect(sent().map(([partition]) => partition)).toEqual(['east', 'west', 'gpu']);
  });

  it('names a folder without a configuration', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const { status, stderr } = await apply(['-f', empty]);
    expect(status).toBe(2);
    expect(stderr).toBe(
      `error: the folder ${empty} has no configuration: no .yaml, .yml, .json or .yson file, and no capacity-scheduler.xml\n`,
    );
  });

  it('sends none of them if one is wrong, and lists what is wrong with all', async () => {
    const good = await file('good.yaml', configuration('east'));
    const one = await file('one.yaml', 'partitions: 1\n');
    const other = await file('other.yaml', 'queues: []\n');
    const { status, stderr } = await apply(['-f', good, '-f', one, '-f', other]);
    expect(status).toBe(2);
    for (const path of [one, other]) expect(stderr).toContain(`error: ${path}:1:`);
    expect(server.seen).toEqual([]);
  });

  it('refuses two files for one partition, of which one would be lost', async () => {
    const one = await file('one.yaml', configuration('east'));
    const other = await file('other.yaml', configuration('west', 'East'));
    const { status, stderr } = await apply(['-f', one, '-f', other, '--dry-run']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `error: ${one} and ${other} both configure partition east, and only one can be in force; leave one out\n`,
    });
    expect(server.seen).toEqual([]);
    const twice = await apply(['-f', one, '-f', one]);
    expect(twice.stderr).toBe(`error: ${one} is given twice; name it once\n`);
  });

  it('says which were put in force when one is refused on the way', async () => {
    server.replies[address('west')] = problemReply(422, {
      type: 'urn:curtail:problem:configuration-refused',
      title: 'The configuration is refused',
      errors: [{ path: 'partitions[0]', message: 'is odd', line: 2, column: 5 }],
    });
    const east = await file('east.yaml', configuration('east'));
    const west = await file('west.yaml', configuration('west', 'gpu'));
    const { status, stderr } = await apply(['-f', east, '-f', west]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `error: ${west}:2:5: partitions[0]: is odd\nin force: east; not west, gpu\n`,
    });
  });

  it('has a hint that names all of them', async () => {
    for (const partition of ['east', 'west'])
      server.replies[address(partition)] = json({
        ...applied(partition),
        changed: [],
        removed: [{ queue: 'root.a', previous: { max: null, delayMs: 0 } }],
        notPlanned: 0,
        rounds: [],
        victims: 0,
      });
    const [east, west] = [
      await file('east.yaml', configuration('east')),
      await file('west.yaml', configuration('west')),
    ];
    const { stderr } = await apply(['-f', east, '-f', west, '--dry-run']);
    expect(stderr).toContain(`next: put it in force: curtail apply -f ${east} -f ${west}\n`);
  });
});

describe('the answer to apply', () => {
  const max = (memory: number, delayMs = 1000) => ({ max: { memory }, delayMs });
  const clock = { effect: 'none', because: 'max goes up' };
  const change = (queue: string, previous: object, current: object) => ({
    queue,
    event: 'QuotaChanged',
    previous,
    current,
    clock,
  });
  const tableOf = async (answer: object, words: string[] = []) => {
    server.replies[address('east')] = json({ ...applied('east'), ...answer });
    const path = await file('east.yaml', configuration('east'));
    const call = ['--no-color', 'apply', '-f', path, ...words];
    return curtail(call, { columns: 120, env: { CURTAIL_SERVER: server.url } });
  };
  const guaranteed = [
    {
      queue: 'root.a',
      previous: { guaranteed: { memory: 5e9 } },
      current: { guaranteed: { memory: 2e9, vcore: 1000 } },
    },
    { queue: 'root.b', previous: { guaranteed: { vcore: 1000 } }, current: { guaranteed: null } },
    {
      queue: 'root.c',
      previous: { guaranteed: null },
      current: { guaranteed: { vcore: 250 }, guaranteedShare: '1/4' },
    },
  ];

  it('has every guaranteed amount that changes', async () => {
    const { stdout } = await tableOf({
      changed: [change('root.a', max(10e9), max(20e9))],
      guaranteedChanged: guaranteed,
    });
    const lines = stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
    expect(lines).toEqual([
      'partition east: 1 queue in force, 1 quota and guaranteed amounts of 3 queues changed',
      'QUEUE WHAT FROM TO CHANGE CLOCK',
      'root.a max 10 GB 20 GB raise no effect: max goes up',
      ' guaranteed 5 GB 2 GB lower',
      ' guaranteed none (vcore) 1 vcore raise',
      'root.b guaranteed 1 vcore none (vcore) lower no effect: only plans depend on it',
      'root.c guaranteed none 25 % of the cluster (0.25 vcore) raise no effect: only plans depend on it',
      '',
    ]);
  });

  it('counts quotas, delays, guaranteed amounts and removed queues apart', async () => {
    const changed = [
      change('root.a', max(10e9), max(20e9, 2000)),
      change('root.b', max(10e9), max(10e9, 2000)),
      change('root.c', max(10e9), max(10e9, 2000)),
      { ...change('root.d', max(10e9), { max: null, delayMs: 0 }), event: 'QueueRemoved' },
    ];
    expect((await tableOf({ changed, guaranteedChanged: guaranteed.slice(0, 1) })).stdout).toContain(
      '1 quota, 3 delays and guaranteed amounts of 1 queue changed, 1 queue was removed\n',
    );
    const preview = await tableOf(
      {
        changed: changed.slice(1, 3),
        removed: [
          { queue: 'root.d', previous: max(10e9), clock: { effect: 'none', because: 'no clock of it runs' } },
        ],
        guaranteedChanged: guaranteed.slice(1, 2),
        notPlanned: 0,
        rounds: [],
        victims: 0,
      },
      ['--dry-run'],
    );
    expect(preview.stdout).toContain(
      'partition east: 2 delays and guaranteed amounts of 1 queue would change, 1 queue would be removed, nothing would be evicted\n',
    );
    expect(preview.stdout).toMatch(/root\.d +queue +10 GB +- +removed +no effect: no clock of it runs/);
    expect(preview.stdout).toMatch(/root\.b +delay .*\n +guaranteed +1 vcore +none \(vcore\) +lower/);
  });

  it('hints at putting it in force where only a guaranteed amount would change', async () => {
    const answer = {
      changed: [],
      removed: [],
      guaranteedChanged: guaranteed,
      notPlanned: 0,
      rounds: [],
      victims: 0,
    };
    expect((await tableOf(answer, ['--dry-run'])).stderr).toContain('next: put it in force: ');
  });

  it('states that a run in progress continues, and that the change is judged when it ends', async () => {
    const enforcement = 'e-99dr3sgdmmb0';
    server.replies['GET /v1/events'] = json({
      items: [
        {
          name: 'EnforcementSkipped',
          queue: 'root.a',
          stream: 'schedule-east/root.a',
          version: 9,
          data: { cause: 'running', enforcement },
        },
      ],
    });
    const { stdout } = await tableOf({
      changed: [
        { ...change('root.a', max(2e9), max(1e9)), clock: { effect: 'starts', because: 'max goes down' } },
      ],
      running: [{ queue: 'root.a', enforcement, evicting: true, evicted: 2 }],
    });
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(stdout).toContain(enforcement);
    expect(text).toContain(
      `A run is in progress in root.a (${enforcement}, 2 evictions so far) and continues with the quota it began with; this change is judged when it ends. To cancel it: curtail cancel ${enforcement}`,
    );
    expect(stdout).not.toContain('no run now');
  });

  it('lists suspended clocks of a switch that is turned on once the timer has set them again', async () => {
    const dueAt = new Date(Date.now() + 20_400).toISOString();
    const timer = { partition: 'east', kind: 'quota-decrease', queue: 'root.a', enforcement: 'e-1', dueAt };
    let reads = 0;
    server.replies['GET /v1/timers'] = (request, response) => {
      const state = reads++ === 0 ? 'suspended' : 'pending';
      json({ items: [{ ...timer, state }] })(request, response);
    };
    const { stdout } = await tableOf({ previousQuotaPreemptionEnabled: false });
    expect(stdout).toMatch(/pending already: root\.a, due in 20 s/);
    expect(stdout).not.toContain('suspended');
  });

  it('says where to see whether a changed guarantee or setting lets a run follow', async () => {
    const { stderr } = await tableOf({ propertiesChanged: ['root.a'] });
    expect(stderr).toContain('next: see in a minute whether a queue gets another run now');
  });

  it('reports that another configuration has replaced this one already, and the clocks that still follow from this one', async () => {
    const dueAt = new Date(Date.now() + 20_400).toISOString();
    const clock = { queue: 'root.a', stream: 'schedule-east/root.a', version: 9 };
    const scheduled = (current: object) => ({
      ...clock,
      name: 'EnforcementScheduled',
      data: { dueAt, current },
    });
    const clocks = (...items: object[]) => {
      server.replies['GET /v1/events'] = json({ items });
    };
    clocks(scheduled(max(1e9)));
    server.replies['GET /v1/freezes'] = json({ items: [] });
    const inForce = (version: number) => {
      server.replies['GET /v1/partitions/east/configurations'] = json({ items: [{ version }] });
    };
    const lowered = {
      changed: [
        { ...change('root.a', max(2e9), max(1e9)), clock: { effect: 'starts', because: 'max goes down' } },
      ],
    };
    inForce(2);
    const { stdout, stderr } = await tableOf(lowered);
    expect(stdout).toContain('due in 20 s');
    expect(stderr).toBe(
      'version 1 of partition east was applied; version 2, applied right after it, is in force\nnext: see who applied the other one: curtail get configurations --partition east\n',
    );
    clocks(scheduled(max(5e8)), scheduled(max(1e9)));
    expect((await tableOf(lowered)).stdout).not.toContain('due in');
    inForce(1);
    clocks(scheduled(max(1e9)));
    expect((await tableOf(lowered)).stderr).not.toContain('in force');
  });

  it('tells what pending clocks still lead to where nothing changes', async () => {
    const dueAt = new Date(Date.now() + 20_400).toISOString();
    const timer = { partition: 'east', kind: 'quota-decrease', generation: 1, dueAt, state: 'pending' };
    server.replies['GET /v1/timers'] = json({
      items: [
        { ...timer, queue: 'root', enforcement: null, kind: 'intra-queue' },
        { ...timer, queue: 'root.a', enforcement: 'e-1' },
        { ...timer, queue: 'root.b', enforcement: 'e-2', state: 'suspended' },
      ],
    });
    const { stdout, stderr } = await tableOf({});
    const lines = stdout.trim().split('\n').slice(-2);
    expect(lines[0]).toMatch(/^pending already: root\.a, due in 20 s, at \d\d:\d\d:\d\d \(e-1\)$/);
    expect(lines[1]).toBe('pending already: root.b, suspended (e-2)');
    expect(stderr).toBe('next: watch the delay run: curtail get timers --partition east --watch\n');
    const changed = await tableOf({ changed: [change('root.b', max(1), max(2))] });
    expect(changed.stdout).not.toContain('pending already');
  });
});

describe('apply that removes queues', () => {
  const detail = '1 queue would be removed from partition east, and nothing was changed.';
  const refused: Reply = (_, response) =>
    void response.writeHead(409, { 'content-type': 'application/problem+json' }).end(
      JSON.stringify({
        type: 'urn:curtail:problem:queues-would-be-removed',
        title: 'Queues would be removed',
        status: 409,
        version: 7,
        detail,
        errors: [{ path: 'root.b', message: 'would be removed; no work runs there' }],
      }),
    );
  let path: string;
  beforeEach(async () => {
    path = await file('removal.yaml', configuration('east'));
    server.replies[address('east')] = (request, response) =>
      request.url.includes('removeQueues=false')
        ? refused(request, response)
        : json(applied('east'))(request, response);
  });
  const env = () => ({ CURTAIL_SERVER: server.url });

  it('is refused in a pipe, with the commands that preview and confirm it', async () => {
    const { status, stderr } = await apply(['-f', path]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: [
        `error: ${detail}`,
        '  root.b: would be removed; no work runs there',
        `next: see what it changes: curtail apply -f ${path} --dry-run; confirm the removal: curtail apply -f ${path} --yes\n`,
      ].join('\n'),
    });
    expect(server.seen).toHaveLength(1);
  });

  it('is sent without a question with --yes', async () => {
    expect((await apply(['-f', path, '--yes'])).status).toBe(0);
    const urls = server.seen.filter(({ method }) => method === 'PUT').map(({ url }) => url);
    expect(urls).toEqual([expect.stringContaining('removeQueues=true')]);
  });

  it('is confirmed on a terminal for the version that was shown', async () => {
    const { status, stderr } = await curtail(['apply', '-f', path], {
      columns: 100,
      env: env(),
      stdin: 'y\n',
    });
    expect(status).toBe(0);
    expect(stderr).toContain('  root.b: would be removed; no work runs there\n');
    expect(stderr).toContain('Remove them from partition east? [y/N] ');
    expect(server.seen[1]?.headers).toMatchObject({ 'if-match': '"7"' });
    expect(server.seen[1]?.url).toContain('removeQueues=true');
  });

  it('changes nothing on a terminal without a yes, or where standard input has the configuration', async () => {
    const no = await curtail(['apply', '-f', path], { columns: 100, env: env(), stdin: 'n\n' });
    expect(no).toMatchObject({ status: 2, stderr: expect.stringContaining('nothing was changed') });
    const piped = await curtail(['apply', '-f', '-'], {
      columns: 100,
      env: env(),
      stdin: configuration('east'),
    });
    expect(piped.stderr).toContain('confirm the removal: curtail apply -f - --yes');
    expect(server.seen.every(({ url }) => url.includes('removeQueues=false'))).toBe(true);
  });
});

describe('apply with keys that Curtail does not know', () => {
  const newer = configuration('east').replace('queues: []', 'queues: []\n    quantumscheduling: on');

  it('names the option that allows them, and sends nothing', async () => {
    const { status, stderr } = await apply(['-f', '-'], newer);
    expect(status).toBe(2);
    expect(stderr).toContain('error: <stdin>:4:5: partitions[0].quantumscheduling: unknown key: ');
    expect(stderr).toContain('next: correct the keys, or, if a newer YuniKorn has them, add --allow-unknown');
    expect(server.seen).toEqual([]);
  });

  it('asks the server to allow them, too, and repeats its warnings with their places', async () => {
    const warning = {
      code: 'unknown-key',
      path: 'partitions[0].quantumscheduling',
      message: 'unknown key, which has no effect here',
      line: 4,
      column: 5,
    };
    server.replies[address('east')] = json({ ...applied('east'), warnings: [warning] });
    const { status, stderr } = await apply(['-f', '-', '--allow-unknown'], newer);
    expect(status).toBe(0);
    expect(server.seen[0]?.url).toContain('allowUnknown=true');
    expect(stderr).toContain('warning: <stdin>:4:5: partitions[0].quantumscheduling: unknown key, ');
  });
});

describe('apply of a configuration of many megabytes', () => {
  it('says what takes so long, unless it is to be quiet', async () => {
    const queue = (i: number) => `{"name":"q${i}","properties":{"note":"${'x'.repeat(2000)}"}}`;
    const queues = Array.from({ length: 2200 }, (_, i) => queue(i)).join();
    const text = `{"partitions":[{"name":"east","queues":[${queues}]}]}`;
    const long = await file('long.json', text);
    const { status, stderr } = await apply([long, '-o', 'json']);
    expect(status).toBe(0);
    expect(stderr).toContain(`reading ${long}: 4.3 MB may take some seconds`);
    expect(stderr).toContain(`sending ${long}: the server compares and records 4.3 MB`);
    expect(sent()).toEqual([['east', text]]);
    expect((await apply([long, '-o', 'json', '--quiet'])).stderr).toBe('');
  });
});
