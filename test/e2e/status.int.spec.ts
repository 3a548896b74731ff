import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type {
  EnforcementView,
  ListPage,
  PartitionSituation,
  QueueView,
  StatusView,
  TimerView,
} from '#contracts/api';
import { Status } from '../../apps/console/src/status/status.js';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

const ten = { memory: 10 };

let system: EmbeddedSystem;
let webhook: Server;
/** Of the webhook. */
let answer = 204;
let bodies = '';
beforeAll(async () => {
  webhook = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bodies += chunk.toString();
    });
    request.once('end', () => response.writeHead(answer).end());
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  system = await EmbeddedSystem.start({
    approveAboveVictims: 3,
    webhookUrl: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}`,
    webhookSecret: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
  });
});
afterAll(async () => {
  await system.stop();
  webhook.closeAllConnections();
  webhook.close();
});

const status = ({ name }: TestPartition) => system.get<StatusView>(`/v1/status?partition=${name}`);
/** A busy machine may keep the database from its answer for two seconds, which is then all that the status says. */
const table = ({ name }: TestPartition) =>
  system.until('a status with the answer of the database', async () => {
    const argv = ['--server', system.url, '--no-color', 'status', '--partition', name, '-o', 'table'];
    const shown = await curtail(argv, { columns: 120 });
    return !shown.stdout.startsWith('DOWN: database') && shown;
  });

/** A queue with 100 in use, whose quota was lowered. */
async function lowered(to: number, delay: string): Promise<TestPartition> {
  const partition = system.partition();
  await partition.configure({ a: { max: { memory: 100 }, delay } });
  await partition.run({ queue: 'root.a', count: 10, resources: ten });
  await partition.configure({ a: { max: { memory: to }, delay } });
  return partition;
}

/** The situation once it is as expected; without it, the last one in the error. */
const situationWith = (partition: TestPartition, is: (of: PartitionSituation) => boolean) =>
  system.until('the situation', async () => {
    const [of] = (await status(partition)).partitions;
    return of && is(of) && of;
  });

describe('the status of a partition', () => {
  it('has the queue above its quota and its clock, and needs no one', async () => {
    const partition = await lowered(50, '1h');
    await partition.event('EnforcementScheduled', 'root.a');
    const seen = await status(partition);
    expect(seen).toMatchObject({
      attention: [],
      partitions: [
        {
          partition: partition.name,
          mode: 'enforce',
          above: { count: 1, first: [{ queue: 'root.a', above: { memory: 50 }, code: 'due' }] },
          due: { count: 1, first: [{ queue: 'root.a' }] },
          suspended: 0,
          running: { count: 0, first: [] },
          waiting: { count: 0, first: [] },
          inventory: null,
        },
      ],
    });
    const { stdout, status: code } = await table(partition);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Nothing needs attention\.$/m);
    expect(stdout).toMatch(/^root\.a +50 B +Run e-\S+ is due at /m);
  });

  it('has the freezes in effect, which end by themselves', async () => {
    const partition = system.partition();
    await partition.configure({ a: { max: { memory: 50 }, delay: '1h' } });
    const freeze = (hours: number, reason: string) =>
      system.request('POST', '/v1/freezes', {
        ...{ partition: partition.name, queue: 'root.a', by: 'ada', reason },
        from: new Date(Date.now() + hours * 3_600_000).toISOString(),
        until: new Date(Date.now() + (hours + 2) * 3_600_000).toISOString(),
      });
    await freeze(-1, 'release');
    await freeze(24, 'later');
    const seen = await status(partition);
    expect(seen.attention).toEqual([]);
    expect(seen.partitions[0]!.freezes).toMatchObject([
      { queue: 'root.a', inEffect: true, reason: 'release' },
    ]);
    const { stdout, status: code } = await table(partition);
    expect(code).toBe(0);
    expect(stdout.match(/^Frozen: .*$/gm)).toEqual([
      expect.stringMatching(/^Frozen: root\.a, until \S+ \S+, by ada \(release\)\.$/),
    ]);
  });

  it('has clocks that a stop suspends, and the command that resumes them', async () => {
    const partition = await lowered(50, '1h');
    await partition.event('EnforcementScheduled', 'root.a');
    const stop = { partition: partition.name, queue: 'root.a', by: 'ada', reason: 'wrong quota' };
    await system.request('POST', '/v1/kill-switch', stop);
    await situationWith(partition, ({ suspended }) => suspended === 1);
    const { stdout, status: code } = await table(partition);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'User ada stopped evictions in root.a (wrong quota), and 1 clock of the partition is suspended.',
    );
    expect(stdout).toContain(`resume --partition ${partition.name} --queue root.a`);
    expect(stdout).toMatch(/is suspended\. User ada stopped evictions in root\.a \(wrong\s+quota\)/);
  });

  it('has a stop that holds no clock yet: what follows is held, and only a person ends it', async () => {
    const partition = system.partition();
    await partition.configure({ a: { max: { memory: 50 }, delay: '0s' } });
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, by: 'ada' });
    const { stdout, status: code } = await table(partition);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `User ada stopped evictions in partition ${partition.name}, and no run evicts there until someone`,
    );
    expect(stdout).not.toContain('Nothing needs attention');
  });

  it('has the run that waits for approval, which needs attention', async () => {
    const partition = await lowered(10, '1s');
    const { waiting } = await situationWith(partition, (of) => of.waiting.count === 1);
    const { enforcement } = waiting.first[0]!;
    expect((await status(partition)).attention).toMatchObject([
      { code: 'waits-for-approval', about: { kind: 'enforcement', name: enforcement } },
    ]);
    const { stdout, status: code } = await table(partition);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^${enforcement} +root\\.a +waiting for approval +0 of 9`, 'm'));
    await system.request('POST', `/v1/enforcements/${enforcement}/approve`, {});
    await partition.ended('root.a');
    await situationWith(partition, (of) => of.waiting.count + of.above.count === 0);
    expect((await table(partition)).status).toBe(0);
  });

  it('names a queue that stays above its quota without a reason', async () => {
    const partition = system.partition();
    await partition.configure({ a: { max: { memory: 50 }, delay: '1s' } });
    // With nothing in use, the run of the new quota is not needed.
    await partition.event('EnforcementCancelled', 'root.a');
    await partition.run({ queue: 'root.a', count: 10, resources: ten });
    const { above } = await situationWith(partition, (of) => of.above.count === 1);
    expect(above.first).toMatchObject([{ queue: 'root.a', code: 'quota-not-met', enforcement: null }]);
    expect((await status(partition)).attention).toMatchObject([
      { code: 'quota-not-met', about: { kind: 'queue', name: 'root.a' } },
    ]);
  });
});

describe('the webhook', () => {
  afterEach(() => {
    answer = 204;
  });
  const cli = (...words: string[]) =>
    curtail(['--server', system.url, '--no-color', ...words, '-o', 'table'], { columns: 120 });
  it('gets the run that waits for approval and the one that is rejected; one that takes neither needs attention', async () => {
    answer = 500;
    const partition = await lowered(10, '1s');
    const { waiting } = await situationWith(partition, (of) => of.waiting.count === 1);
    const { enforcement } = waiting.first[0]!;
    const failedAre = (messages: number) =>
      system.until(`${messages} failed messages`, async () => {
        const [{ count }] = await system.db.query(
          "SELECT count(*)::int AS count FROM webhook_messages WHERE state = 'pending' AND last_error IS NOT NULL",
        );
        return count === messages;
      });
    await failedAre(1);
    await system.request('POST', `/v1/enforcements/${enforcement}/reject`, { by: 'ada' });
    await failedAre(2);
    await system.db.query("UPDATE webhook_messages SET attempts = 3 WHERE state = 'pending'");
    const { stdout, status: code } = await cli('status', '--partition', partition.name);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /Deliveries to the webhook fail: 2 messages are being retried; it answered\s+500\./,
    );
    const untested = await cli('webhook', 'test');
    expect(untested).toMatchObject({ status: 2, stderr: expect.stringContaining('it answered 500') });
    answer = 204;
    bodies = '';
    await system.db.query("UPDATE webhook_messages SET next_at = now() WHERE state = 'pending'");
    await system.until('no message', async () => (await status(partition)).webhook?.pending === 0);
    expect(bodies).toContain(`"type":"run.waits-for-approval"`);
    expect(bodies).toMatch(
      new RegExp(`"type":"run.rejected".*Run ${enforcement} of root.a ended as rejected: .*ada`),
    );
    expect((await status(partition)).webhook).toMatchObject({ failing: 0, dead: 0, lastError: null });
    expect(await cli('webhook', 'test')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^the receiver accepted message msg_[0-9a-f-]{36}$/m),
    });
    expect(bodies).toContain('"type":"test"');
  });
});

describe('the reason why something waits', () => {
  const timers = async ({ name }: TestPartition) =>
    (await system.get<ListPage<TimerView>>(`/v1/timers?partition=${name}`)).items;
  const runs = async ({ name }: TestPartition) =>
    (await system.get<ListPage<EnforcementView>>(`/v1/enforcements?partition=${name}`)).items;
  const get = async (what: string, { name }: TestPartition) =>
    (
      await curtail(['--server', system.url, '--no-color', 'get', what, '--partition', name], {
        columns: 300,
      })
    ).stdout;

  /** The gauge of clocks that are due later or suspended, over all partitions. */
  const waiting = async () => {
    await system.measureWaiting();
    const metrics = await (await fetch(`${system.url}/metrics`)).text();
    const of = (reason: string) =>
      Number(new RegExp(`^curtail_waiting\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
    return { due: of('due'), suspended: of('suspended') };
  };

  it('is in the lists of clocks and runs, in the status and in the metrics: a run above that waits for approval', async () => {
    const partition = system.partition();
    const quota = (parent: number, child: number) => ({
      p: { max: { memory: parent }, delay: '1s', queues: { c: { max: { memory: child }, delay: '2s' } } },
    });
    await partition.configure(quota(100, 100));
    await partition.run({ queue: 'root.p.c', count: 10, resources: ten });
    await partition.configure(quota(50, 40));
    const run = await system.until('the run above to wait', async () =>
      (await runs(partition)).find(
        ({ queue, waiting }) => queue === 'root.p' && waiting?.code === 'approval',
      ),
    );
    const [clock] = await system.until('the clock below to wait', async () => {
      const found = await timers(partition);
      return found[0]?.waiting.code === 'ancestor-running' && found;
    });
    expect(run.waiting).toEqual({
      code: 'approval',
      message: `Run ${run.enforcement} waits for approval: 5 victims; more than 3 need approval.`,
      about: { kind: 'enforcement', name: run.enforcement },
    });
    expect(clock).toMatchObject({
      queue: 'root.p.c',
      state: 'waiting',
      waiting: { about: { kind: 'enforcement', name: run.enforcement } },
      startsAt: null,
    });
    expect(clock?.waiting.message).toMatch(new RegExp(`waits for run ${run.enforcement} of root\\.p, which`));
    const below = (await runs(partition)).find(({ enforcement }) => enforcement === clock?.enforcement);
    expect(below).toMatchObject({ state: 'scheduled', waiting: clock?.waiting });
    const { above } = (await status(partition)).partitions[0]!;
    expect(above.first).toMatchObject([
      { queue: 'root.p', code: 'running', reason: run.waiting?.message },
      { queue: 'root.p.c', code: 'ancestor-running', reason: clock?.waiting.message },
    ]);
    expect(await get('timers', partition)).toMatch(/ WHY\n.* waiting +Run \S+ was due at .* waits for run /);
    expect(await get('enforcements', partition)).toContain('waits for approval: 5 victims');
    await system.measureWaiting();
    const metrics = await (await fetch(`${system.url}/metrics`)).text();
    expect(metrics).toMatch(/^curtail_waiting\{reason="approval"\} [1-9]/m);
    expect(metrics).toMatch(/^curtail_waiting\{reason="ancestor-running"\} 1$/m);

    await system.request('POST', `/v1/enforcements/${run.enforcement}/approve`, {});
    await partition.ended('root.p');
    await system.until('no wait', async () =>
      (await runs(partition)).every(({ waiting }) => waiting === null),
    );
    expect(await get('enforcements', partition)).not.toContain('WHY');
    await system.measureWaiting();
    expect(await (await fetch(`${system.url}/metrics`)).text()).not.toContain('reason="ancestor-running"');
  });

  it('is the run above while the delay still runs; and the end of a freeze is when the run starts, in each list', async () => {
    const partition = system.partition();
    const quota = (parent: number, child: number) => ({
      p: { max: { memory: parent }, delay: '1s', queues: { c: { max: { memory: child }, delay: '1h' } } },
    });
    await partition.configure(quota(100, 100));
    await partition.run({ queue: 'root.p.c', count: 10, resources: ten });
    await partition.configure(quota(50, 40));
    await system.until('the run above to wait', async () =>
      (await runs(partition)).some(
        ({ queue, waiting }) => queue === 'root.p' && waiting?.code === 'approval',
      ),
    );
    const [clock] = await timers(partition);
    expect(clock).toMatchObject({
      queue: 'root.p.c',
      startsAt: clock!.dueAt,
      waiting: { code: 'ancestor-first' },
    });
    expect(clock!.waiting.message).toMatch(
      /is due at .*, but not before the end of run \S+ of root\.p, which/,
    );

    const duration = 'PT2H';
    await system.request('POST', '/v1/freezes', { partition: partition.name, duration, by: 'ada' });
    const [frozen] = await timers(partition);
    expect(frozen?.startsAt).toBe(frozen?.frozenUntil);
    expect(Date.parse(frozen!.startsAt!)).toBeGreaterThan(Date.parse(frozen!.dueAt));
    const same = { startsAt: frozen!.startsAt, waiting: frozen!.waiting };
    const { items: queues } = await system.get<ListPage<QueueView>>(`/v1/queues?partition=${partition.name}`);
    expect(queues.find(({ queue }) => queue === 'root.p.c')).toMatchObject({ ...same, dueAt: clock!.dueAt });
    expect(queues.find(({ queue }) => queue === 'root.p')).toMatchObject({
      ...{ startsAt: null, waiting: null, runState: 'waiting for approval' },
    });
    expect((await runs(partition)).find(({ queue }) => queue === 'root.p.c')).toMatchObject(same);
    expect((await status(partition)).partitions[0]!.due.first).toMatchObject([same]);
    expect(await get('queues', partition)).toMatch(/root\.p\.c .*run due in .*\(frozen\)/);
  });

  it('is a stop, and the delay before', async () => {
    const before = await waiting();
    const partition = await lowered(50, '1h');
    await partition.event('EnforcementScheduled', 'root.a');
    expect(await waiting()).toEqual({ ...before, due: before.due + 1 });
    const [clock] = await timers(partition);
    expect(clock).toMatchObject({ state: 'pending', waiting: { code: 'due' } });
    const stop = { partition: partition.name, by: 'ada', reason: 'wrong quota' };
    await system.request('POST', '/v1/kill-switch', stop);
    const suspended = await system.until('the stop', async () => {
      const [found] = await timers(partition);
      return found?.state === 'suspended' && found;
    });
    expect(suspended.waiting).toEqual({
      code: 'suspended',
      message: `Run ${suspended.enforcement} is suspended. User ada stopped evictions in the partition (wrong quota).`,
      about: { kind: 'partition', name: partition.name },
    });
    expect(await waiting()).toEqual({ ...before, suspended: before.suspended + 1 });
  });
});

it('a queue without a reason is never missing, however many others are above their quota', async () => {
  const partition = system.partition();
  const others = Array.from({ length: 21 }, (_, i) => `a${i + 10}`);
  const limited = (max: number, delay: string) => ({ max: { memory: max }, delay });
  const queues = (delay: string) => Object.fromEntries(others.map((name) => [name, limited(5, delay)]));
  await partition.configure({ z: limited(5, '1s') });
  await partition.event('EnforcementCancelled', 'root.z');
  await partition.configure({ ...queues('1h'), z: limited(5, '1s') });
  await partition.run(
    ...[...others, 'z'].map((name) => ({ queue: `root.${name}`, count: 1, resources: ten })),
  );
  await situationWith(partition, ({ above, due }) => above.count === 22 && due.count === 21);
  expect((await status(partition)).attention).toMatchObject([
    { code: 'quota-not-met', about: { kind: 'queue', name: 'root.z' } },
  ]);
});

it('the status of a partition that does not exist is an error', async () => {
  const { status: code, stderr } = await curtail(['--server', system.url, 'status', '--partition', 'nosuch']);
  expect(code).toBe(2);
  expect(stderr).toContain('There is no partition nosuch. There ');
});

it('the status of all partitions has each of them', async () => {
  const { partitions } = await system.get<StatusView>('/v1/status');
  const names = partitions.map(({ partition }) => partition);
  expect(names).toEqual([...names].sort());
  expect(names.length).toBeGreaterThan(3);
});

describe('lists of all partitions', () => {
  const get = async (...words: string[]) =>
    (await curtail(['--server', system.url, '--no-color', 'get', ...words], { columns: 200 })).stdout;

  it('have the partition of each item, and the wanted order', async () => {
    const [one, two] = [system.partition(), system.partition()];
    await one.configure({ large: { max: { memory: 1000 } } });
    await two.configure({ small: { max: { memory: 500 } } });
    const rows = (await get('q', '-A', '--sort-by', '-max.memory')).split('\n');
    const at = (partition: TestPartition, queue: string) =>
      rows.findIndex((row) => row.startsWith(`${partition.name} `) && row.includes(queue));
    expect(rows[0]).toMatch(/^PARTITION +QUEUE /);
    expect(at(one, 'root.large')).toBeGreaterThan(0);
    expect(at(two, 'root.small')).toBeGreaterThan(at(one, 'root.large'));
  });

  it('have only runs in a state, and only events of a type', async () => {
    const partition = await lowered(50, '1h');
    const { data } = await partition.event('EnforcementRescheduled', 'root.a');
    await situationWith(partition, ({ due }) => due.count === 1);
    const place = ['--partition', partition.name];
    await system.until('the read model', async () =>
      (await get('e', '--state', 'scheduled', ...place)).includes(data.enforcement),
    );
    expect(await get('e', '--state', 'waiting', ...place)).toMatch(/^no enforcements that are waiting/);
    expect(await get('ev', '--type', 'EnforcementRescheduled', ...place)).not.toContain('ConfigApplied');
    const { status: code, stderr } = await curtail(['--server', system.url, 'get', 'q', '--state', 'ended']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: --state is for timers, enforcements and replays; leave it out here\n',
    });
  });
});

describe('wait', () => {
  const wait = ({ name }: TestPartition, ...words: string[]) =>
    curtail(['--server', system.url, '--no-color', 'wait', ...words, '--partition', name], { columns: 160 });

  it('ends with the run, and prints its outcome', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 10, resources: ten });
    await partition.configure({ a: { max: { memory: 80 }, delay: '1s' } });
    const { data } = await partition.event('EnforcementScheduled', 'root.a');
    const address = `/v1/enforcements/${data.enforcement}`;
    await system.until('the read model', async () => (await system.request('GET', address)).status === 200);
    const { status: code, stdout } = await wait(partition, data.enforcement);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^run e-\S+ of root\.a ended as satisfied: 2 of 2 evicted$/m);
    expect((await wait(partition, 'queue/root.a')).stdout).toContain(
      'is within its quota: 80 B of 80 B in use',
    );
  });

  it('goes on while work that was evicted still leaves, and says so', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 10, resources: ten });
    await partition.configure({
      a: { max: { memory: 80 }, delay: '20ms', properties: { 'curtail.graceSeconds': 600 } },
    });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    const waited = await wait(partition, 'queue/root.a', '--timeout', '1s', '-o', 'json');
    expect(waited.status).toBe(1);
    expect(waited.stderr).toContain('queue root.a uses 100 B of 80 B, of which 20 B is still leaving');
    expect(JSON.parse(waited.stdout)).toMatchObject({
      usage: { memory: 100 },
      inFlight: { memory: 20 },
      above: { memory: 20 },
      withinQuota: false,
    });
    await system.db.query(
      `UPDATE simulated_allocations SET gone_at = now() WHERE partition = $1 AND state <> 'running'`,
      [partition.name],
    );
    const { status: code, stdout } = await wait(partition, 'queue/root.a', '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      usage: { memory: 80 },
      inFlight: {},
      above: {},
      withinQuota: true,
    });
  });

  it('gives up in time, with what it waits for', async () => {
    const partition = await lowered(50, '1h');
    await partition.event('EnforcementScheduled', 'root.a');
    const { status: code, stderr } = await wait(partition, 'queue/root.a', '--timeout', '1s');
    expect(code).toBe(1);
    expect(stderr).toContain('queue root.a uses 100 B of 50 B; its clock runs');
  });

  it('says what a run waits for, and the commands that let it continue', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 10, resources: ten });
    const approve = { 'curtail.approveAboveVictims': 1 };
    await partition.configure({ a: { max: { memory: 80 }, delay: '20ms', properties: approve } });
    const { data } = await partition.event('EnforcementScheduled', 'root.a');
    await system.until('the read model', async () => {
      const { body } = await system.request('GET', `/v1/enforcements/${data.enforcement}`);
      return (body as { state?: string }).state === 'waiting for approval';
    });
    for (const what of [data.enforcement, 'root.a']) {
      const { status, stderr } = await wait(partition, what, '--timeout', '1s');
      expect(status).toBe(1);
      expect(stderr).toContain(
        `run ${data.enforcement} waits for approval: 2 victims; more than 1 need approval: ` +
          `curtail --server ${system.url} approve ${data.enforcement}, or `,
      );
    }
  });

  it('says that a stop holds a run', async () => {
    const partition = await lowered(50, '1h');
    const { data } = await partition.event('EnforcementScheduled', 'root.a');
    const place = { partition: partition.name, by: 'ada' };
    await system.request('POST', '/v1/kill-switch', { ...place, reason: 'repair' });
    for (const what of [data.enforcement, 'root.a'])
      expect((await wait(partition, what, '--timeout', '1s')).stderr).toContain(
        `run ${data.enforcement} is suspended. User ada stopped evictions`,
      );
  });
});

describe('the status of many partitions', () => {
  /** The statements of one status on the connections of queries. */
  async function statements(partition?: string): Promise<number> {
    const status = system.part(Status);
    const { db } = status as unknown as { db: DataSource };
    const query = jest.spyOn(db, 'query');
    await status.of(partition);
    const count = query.mock.calls.length;
    query.mockRestore();
    return count;
  }

  it('is read with as many statements as that of one', async () => {
    const first = await lowered(50, '1h');
    await first.event('EnforcementScheduled', 'root.a');
    const ofOne = await statements(first.name);
    for (let count = 0; count < 3; count++)
      await (await lowered(50, '1h')).event('EnforcementScheduled', 'root.a');
    const found = (await system.get<StatusView>('/v1/status')).partitions.filter(
      ({ above, due }) => above.count === 1 && due.count === 1,
    );
    expect(found.length).toBeGreaterThanOrEqual(4);
    // Those of earlier tests wait for other things too, which are read with statements of their own.
    expect(await statements()).toBeLessThan(2 * ofOne);
  });
});
