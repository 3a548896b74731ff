import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CurtailSettings } from '#runtime';
import { createMigratedDatabase, type TestDatabase } from '../../support/database.js';
import { EmbeddedSystem } from '../../support/embedded-system.js';
import { TestPartition } from '../../support/test-partition.js';
import { FakeYtsaurus } from './fake-ytsaurus.js';
import type { FakeJob, FakeNode, FakeOperation } from './world.js';

const gibibyte = 1024 ** 3;
const node = { cpu: 10, memory: 100 * gibibyte, user_slots: 100 };
const job = { cpu: 1, memory: gibibyte };
/** Quick, and with nothing that is safe by its place. */
const quick = {
  main_resource: 'cpu',
  fair_share_starvation_timeout: 1000,
  fair_share_aggressive_starvation_timeout: 2000,
  preemptive_scheduling_backoff: 0,
  allocation_preemption_timeout: 1500,
};

/** The three reasons to preempt, from the answers of YTsaurus to the jobs that it is asked to abort. */
describe('a pool tree of YTsaurus', () => {
  let fake: FakeYtsaurus;
  let folder: string;
  let system: EmbeddedSystem | undefined;
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
    folder = await mkdtemp(join(tmpdir(), 'curtail-test-ytsaurus-'));
    await writeFile(join(folder, 'token'), 't\n');
  });
  afterEach(async () => {
    await system?.stop();
    system = undefined;
    await fake.down();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (settings: Partial<CurtailSettings> = {}, database?: TestDatabase) => {
    const used = {
      cluster: 'ytsaurus' as const,
      ytsaurusUrl: fake.url,
      ytsaurusTokenFile: join(folder, 'token'),
      defaultMode: 'enforce' as const,
      roundIntervalMilliseconds: 500,
      ...settings,
    };
    system = await EmbeddedSystem.start(used, database);
    return { system, curtail: new TestPartition(system, 'physical') };
  };
  /** @param nodes cores by node. @param isScheduled false: the scheduler starts nothing until it is told to. */
  const build = (
    pools: string[],
    nodes: Record<string, number>,
    { isScheduled = true, ...config }: Record<string, unknown> = {},
  ) => {
    const { world } = fake;
    world.schedules = isScheduled === true;
    world.addTree('physical', { ...quick, ...config });
    for (const pool of pools) world.addPool('physical', pool);
    for (const [name, cpu] of Object.entries(nodes)) {
      world.addNode(`${name}:9012`, { ...node, cpu }, 'physical');
    }
    return world;
  };
  /** Starts jobs on these nodes, the oldest first. */
  const runs = (operation: FakeOperation, nodes: string[]) =>
    nodes.map((name, i) =>
      fake.world.startJob(operation, `${name}:9012`, { startedAt: Date.now() - 3_600_000 + i * 1000 }),
    );
  const inTurn = (count: number, ...names: string[]) =>
    Array.from({ length: count }, (_, i) => String(names[i % names.length]));
  const ids = (jobs: readonly FakeJob[]) => jobs.map(({ id }) => id).sort();
  /** Jobs that YTsaurus was asked to abort, each once. */
  const asked = () => [...new Set(fake.callsOf('abort_job').map(({ job_id: id }) => String(id)))].sort();
  /** Those that were evicted, and those that had finished in their time when they would have been. */
  const victims = async (curtail: TestPartition) =>
    [...(await curtail.events('VictimEvicted')), ...(await curtail.events('VictimGone'))]
      .map(({ data }) => data.allocation)
      .sort();
  const known = ({ system, curtail }: Awaited<ReturnType<typeof start>>, count: number) =>
    system.until('the jobs to be known', async () => (await curtail.remaining()).length === count);
  /** Waits for so many more rounds, and returns the codes of what the last one says. */
  const roundsLater = async (system: EmbeddedSystem, more: number) => {
    type Rounds = {
      items: { policy: string; plannedRound: number; plan: { notices: { code: string }[] } }[];
    };
    const last = async () => {
      const { items } = await system.get<Rounds>('/v1/rounds?partition=physical&policy=fair-share');
      return items[0];
    };
    const before = (await last())?.plannedRound ?? 0;
    const { plan } = await system.until(`${more} more rounds`, async () => {
      const now = await last();
      return now !== undefined && now.plannedRound >= before + more && now;
    });
    return plan.notices.map(({ code }) => code);
  };

  it('makes room for an operation that starves, up to its fair share, and interrupts before it aborts', async () => {
    // So long that no eviction is due before the interrupted jobs have finished.
    const gracePeriodMs = 10_000;
    const clocksApartMs = 1000;
    const world = build(
      ['prod', 'dev'],
      { n1: 4, n2: 4, n3: 4, n4: 4, n5: 4 },
      { allocation_preemption_timeout: gracePeriodMs },
    );
    const old = world.addOperation({ pool: 'dev', job, pending: 20, user: 'bob', finishesAfterMs: 100 });
    const before = world.running(old);
    expect(before).toHaveLength(20);
    const wanting = world.addOperation({ pool: 'prod', job, pending: 20 });
    const { system, curtail } = await start();
    await system.until(
      'the operation to have what is enough',
      async () => world.running(wanting).length >= 8,
    );
    await system.until('its starvation to end', async () =>
      (await curtail.events('StatusChanged')).some(
        ({ data }) => data.name === wanting.id && data.to === 'normal',
      ),
    );
    const taken = ids(before.filter(({ state }) => state !== 'running'));
    expect(taken.length).toBeLessThanOrEqual(10);
    await system.until(
      'all of them to be on record',
      async () => (await victims(curtail)).length >= taken.length,
    );
    expect(await victims(curtail)).toEqual(taken);
    expect(asked()).toEqual(taken);
    // Each is interrupted when it is announced, for what is left of its time, finishes in it, and is not evicted.
    expect(await curtail.events('VictimEvicted')).toEqual([]);
    const calls = fake.callsOf('abort_job');
    expect(new Set(calls.map(({ mutation_id }) => mutation_id)).size).toBe(calls.length);
    const notified = await curtail.events('VictimNotified');
    for (const { parameters, at } of fake.calls.filter(({ command }) => command === 'abort_job')) {
      const { notifiedAt, killAt } = notified.find(({ data }) => data.allocation === parameters.job_id)!.data;
      expect(Date.parse(killAt) - Date.parse(notifiedAt)).toBe(gracePeriodMs);
      expect(at).toBeLessThan(Date.parse(killAt));
      // The announcement has the time of the database, which a busy service knows only roughly.
      expect(parameters.interrupt_timeout).toBeLessThanOrEqual(gracePeriodMs + clocksApartMs);
      expect(parameters.interrupt_timeout).toBeGreaterThanOrEqual(Date.parse(killAt) - at - 5);
    }
    for (const { data } of await curtail.events('PlanComputed')) {
      for (const victim of data.plan.victims) {
        expect(victim).toMatchObject({ gracePeriodMs, preemptedFor: wanting.id });
      }
    }
  });

  it('makes room for a pool that starves, although none of its operations does', async () => {
    const world = build(['web', 'web/api', 'dev'], { n1: 10, n2: 10 }, { isScheduled: false });
    const tolerance = 'fair_share_starvation_tolerance';
    world.setAttribute(world.pool('physical', 'web'), tolerance, 1);
    world.setAttribute(world.pool('physical', 'web/api'), tolerance, 0.5);
    const api = world.addOperation({ pool: 'api', job, pending: 20 });
    const old = world.addOperation({ pool: 'dev', job, pending: 0, retries: false });
    runs(api, inTurn(8, 'n1', 'n2'));
    // Half of 20 cores is the share of each: the last two of the twelve are beyond it.
    const newest = runs(old, inTurn(12, 'n1', 'n2')).slice(-2);
    world.schedules = true;
    const { system, curtail } = await start();
    await system.until('the pool to have its share', async () => world.running(api).length === 10);
    await system.until('its starvation to end', async () =>
      (await curtail.events('StarvationChanged')).some(({ data }) => data.to === 'non_starving'),
    );
    expect(asked()).toEqual(ids(newest));
    expect((await curtail.events('StarvationChanged')).map(({ data }) => [data.name, data.to])).toEqual([
      ['root.web', 'starving'],
      ['root.web', 'non_starving'],
    ]);
  });

  it('takes what is within a fair share only for who starves aggressively', async () => {
    const world = build(
      ['prod'],
      { n1: 10, n2: 10 },
      {
        ...{ isScheduled: false, enable_aggressive_starvation: true, allocation_preemption_timeout: 0 },
        aggressive_preemption_satisfaction_threshold: 0.5,
      },
    );
    const many = world.addOperation({ pool: 'prod', weight: 3, job, pending: 0, retries: false });
    // Number 8 to 15, 19 and 20 on n1: of the plain ones, no node has five.
    const jobs = runs(many, [...inTurn(7, 'n2'), ...inTurn(8, 'n1'), ...inTurn(3, 'n2'), ...inTurn(2, 'n1')]);
    const wide = world.addOperation({ pool: 'prod', job: { ...job, cpu: 5 }, pending: 1 });
    world.schedules = true;
    const { system, curtail } = await start();
    await system.until('it to run', async () => world.running(wide).length === 1);
    await system.until('five victims to be on record', async () => (await victims(curtail)).length === 5);
    expect(asked()).toEqual(ids([13, 14, 15, 19, 20].map((number) => jobs[number - 1] as FakeJob)));
    const log = await curtail.log();
    const starves = log.findIndex(
      ({ name, data }) => name === 'StarvationChanged' && 'to' in data && data.to === 'aggressively_starving',
    );
    const plan = log.findIndex(({ name }) => name === 'PlanComputed');
    expect(starves).toBeGreaterThanOrEqual(0);
    expect(plan).toBeGreaterThan(starves);
    // A tree without a time to finish: nothing is interrupted.
    expect(fake.callsOf('abort_job').every((call) => call.interrupt_timeout === undefined)).toBe(true);
  });

  it('uses free room first, then each node once, and then waits for its back-off', async () => {
    const world = build(
      ['prod', 'dev'],
      { n1: 10, n2: 10, n3: 1 },
      {
        ...{ isScheduled: false, preemptive_scheduling_backoff: 3_600_000, allocation_preemption_timeout: 0 },
      },
    );
    const old = world.addOperation({ pool: 'dev', job, pending: 0, retries: false });
    const newest = runs(old, inTurn(20, 'n1', 'n2')).slice(-2);
    // Its four fit its share. One starts on n3, one on each other node, and one has to wait.
    world.addOperation({ pool: 'prod', job, pending: 4 });
    const { system, curtail } = await start();
    await system.until('two victims to be on record', async () => (await victims(curtail)).length === 2);
    expect(await roundsLater(system, 3)).toContain('starving-unplaceable');
    expect(asked()).toEqual(ids(newest));
  });

  it('takes nothing from operations that are to be preempted gracefully', async () => {
    const world = build(['prod', 'dev'], { n1: 10, n2: 10 }, { isScheduled: false });
    const normal = world.addOperation({ pool: 'dev', job, pending: 0, retries: false });
    const graceful = world.addOperation({
      ...{ pool: 'dev', job, pending: 0, retries: false, preemptionMode: 'graceful' },
    });
    const [newest] = [runs(normal, inTurn(10, 'n1', 'n2')).slice(-5), runs(graceful, inTurn(10, 'n1', 'n2'))];
    const wanting = world.addOperation({ pool: 'prod', job, pending: 20 });
    world.schedules = true;
    const { system, curtail } = await start();
    await system.until('all that may go', async () => world.running(wanting).length === 5);
    expect(await roundsLater(system, 3)).toContain('starving-unplaceable');
    expect(asked()).toEqual(ids(newest));
    await system.until('five victims to be on record', async () => (await victims(curtail)).length === 5);
    expect(world.running(graceful)).toHaveLength(10);
  });

  it('enforces a lowered limit at once, as YTsaurus does', async () => {
    const world = build(['prod'], { n1: 10 });
    const pool = world.pool('physical', 'prod');
    world.setAttribute(pool, 'resource_limits', { cpu: 10 });
    const running = world.addOperation({ pool: 'prod', job, pending: 10, finishesAfterMs: undefined });
    const jobs = world.running(running);
    const started = await start();
    const { system, curtail } = started;
    await known(started, 10);
    world.setAttribute(pool, 'resource_limits', { cpu: 6 });
    await system.until('the pool to be within its limit', async () => world.running(running).length === 6);
    await system.until('four victims to be on record', async () => (await victims(curtail)).length === 4);
    const ended = jobs.filter(({ state }) => state === 'aborted');
    expect(await victims(curtail)).toEqual(ids(ended));
    // Jobs that take no interrupt keep their time, and are then aborted.
    for (const { id } of ended) {
      const calls = fake.callsOf('abort_job').filter(({ job_id }) => job_id === id);
      expect(calls.map(({ interrupt_timeout: timeout }) => typeof timeout)).toEqual(['number', 'undefined']);
    }
  });

  it('is compared with its rounds: what a lowered limit would evict at once', async () => {
    const world = build(['prod'], { n1: 10 });
    world.setAttribute(world.pool('physical', 'prod'), 'resource_limits', { cpu: 10 });
    world.addOperation({ pool: 'prod', job, pending: 10 });
    const started = await start({ defaultMode: 'observe' });
    await known(started, 10);
    const lowered = {
      $attributes: { config: quick },
      $value: { prod: { $attributes: { resource_limits: { cpu: 6 } }, $value: {} } },
    };
    const alternatives = [
      { name: 'quota', quotas: [{ queue: 'root.prod', max: { vcore: 6 } }] },
      { name: 'tree', configuration: lowered, format: 'ytsaurus' },
    ];
    const body = { partition: 'physical', alternatives };
    expect((await started.system.request('POST', '/v1/what-if', body)).body).toMatchObject({
      alternatives: [
        { name: 'quota', victims: 4, warnings: [] },
        { name: 'tree', victims: 4, warnings: [] },
      ],
    });
  });

  it('gives a lowered limit a clock: visible, set anew when it is lowered further, and ended by a raise', async () => {
    const world = build(['prod'], { n1: 10 });
    const pool = world.pool('physical', 'prod');
    const running = world.addOperation({ pool: 'prod', job, pending: 10 });
    const started = await start({ ytsaurusDelay: '1h' });
    const { system, curtail } = started;
    await known(started, 10);
    world.setAttribute(pool, 'resource_limits', { cpu: 8 });
    const { data: first } = await curtail.event('EnforcementScheduled', 'root.prod');
    world.setAttribute(pool, 'resource_limits', { cpu: 6 });
    const { data: second } = await curtail.event('EnforcementRescheduled', 'root.prod');
    expect(Date.parse(second.dueAt)).toBeGreaterThan(Date.parse(first.dueAt));
    await system.until('the clock to be shown', async () => {
      const { items } = await system.get<{ items: { queue?: string; dueAt: string }[] }>(
        '/v1/timers?partition=physical',
      );
      return items.some(({ queue, dueAt }) => queue === 'root.prod' && dueAt === second.dueAt);
    });
    world.setAttribute(pool, 'resource_limits', { cpu: 10 });
    await curtail.event('EnforcementCancelled', 'root.prod');
    expect(world.running(running)).toHaveLength(10);
    expect(asked()).toEqual([]);
  });

  it('holds the clock of a lowered limit in a freeze, and its evictions until they are approved', async () => {
    const world = build(['prod'], { n1: 10 });
    const pool = world.pool('physical', 'prod');
    const running = world.addOperation({ pool: 'prod', job, pending: 10, retries: false });
    const started = await start({ ytsaurusDelay: '1s', approveAboveVictims: 3 });
    const { system, curtail } = started;
    await known(started, 10);
    const window = { partition: 'physical', by: 'ada', duration: 'PT1H' };
    expect((await system.request('POST', '/v1/freezes', window)).status).toBeLessThan(300);
    world.setAttribute(pool, 'resource_limits', { cpu: 6 });
    await curtail.event('EnforcementScheduled', 'root.prod');
    expect((await curtail.event('EnforcementRescheduled', 'root.prod')).data.cause).toBe('frozen');
    expect((await system.request('DELETE', '/v1/freezes?partition=physical')).status).toBeLessThan(300);
    const { data: opened } = await curtail.event('EnforcementOpened', 'root.prod');
    expect(opened).toMatchObject({ needsApproval: true, victims: 4 });
    expect(asked()).toEqual([]);
    await system.request('POST', `/v1/enforcements/${opened.enforcement}/approve`, { by: 'ada' });
    expect((await curtail.ended('root.prod')).data).toMatchObject({ outcome: 'satisfied', evicted: 4 });
    expect(asked()).toHaveLength(4);
    await system.until('the pool to be within its limit', async () => world.running(running).length === 6);
  });

  it('takes jobs off a node that has less than runs there', async () => {
    const world = build(['prod'], { n1: 10, n2: 10 }, { allowed_node_resources_overcommit_duration: 1000 });
    const running = world.addOperation({ pool: 'prod', job, pending: 20, retries: false });
    const started = await start();
    const { system, curtail } = started;
    await known(started, 20);
    (world.nodes.get('n1:9012') as FakeNode).limits = { ...node, cpu: 8 };
    await system.until('the node to hold what it has', async () => world.usageOn('n1:9012').cpu === 8);
    await system.until('two victims to be on record', async () => (await victims(curtail)).length === 2);
    expect(world.running(running).filter((one) => one.node === 'n2:9012')).toHaveLength(10);
    const planned = (await curtail.events('PlanComputed')).flatMap(({ data }) => data.plan.victims);
    expect(new Set(planned.map(({ cause }) => cause))).toEqual(new Set(['overcommit']));
  });

  it('that has the name of another one is refused: its limits are not in force, and nothing is aborted', async () => {
    const database = await createMigratedDatabase();
    const other = await new FakeYtsaurus().up();
    try {
      const kept = build(['prod'], { n1: 10 });
      const jobs = kept.running(kept.addOperation({ pool: 'prod', job, pending: 10 }));
      const first = await start({}, database);
      await known(first, 10);
      await first.system.stop();
      // As a second cluster under the first one's database, with work far above its limit.
      const { world } = other;
      world.addTree('physical', quick);
      const pool = world.addPool('physical', 'prod');
      world.addNode('n2:9012', node, 'physical');
      world.addOperation({ pool: 'prod', job, pending: 10 });
      world.setAttribute(pool, 'resource_limits', { cpu: 1 });
      const { system, curtail } = await start({ ytsaurusUrl: other.url }, database);
      const { data } = await curtail.event('ConfigRefused');
      const [ours, theirs] = [fake, other].map(({ url }) => new URL(url).host);
      expect(data.errors[0]?.message).toContain(
        `partition physical is cluster ${ours}, and this configuration comes from cluster ${theirs}`,
      );
      expect(data.errors[0]?.message).toMatch(/pool tree of YTsaurus.*a Curtail of its own.*inventory reset/);
      type Partitions = { items: { notices: { code: string; message: string; remedy: string }[] }[] };
      const notice = await system.until('its reports to be refused as well', async () => {
        const { items } = await system.get<Partitions>('/v1/inventory?partition=physical');
        return items.flatMap(({ notices }) => notices).find(({ code }) => code === 'other-cluster');
      });
      expect(notice.message).toContain(`came from cluster ${theirs}`);
      expect(notice.message).toContain(`belongs to cluster ${ours}`);
      expect(notice.remedy).toMatch(/pool tree of YTsaurus.*a Curtail of its own/);
      expect([...(await curtail.remaining())].sort()).toEqual(ids(jobs));
      expect([...asked(), ...other.callsOf('abort_job')]).toEqual([]);
    } finally {
      await other.down();
      await system?.stop();
      system = undefined;
      await database.drop();
    }
  });
});
