import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CurtailSettings } from '#runtime';
import { EmbeddedSystem } from '../../support/embedded-system.js';
import { TestPartition } from '../../support/test-partition.js';
import { FakeYtsaurus } from './fake-ytsaurus.js';

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

  const start = async (settings: Partial<CurtailSettings> = {}) => {
    system = await EmbeddedSystem.start({
      cluster: 'ytsaurus',
      ytsaurusUrl: fake.url,
      ytsaurusTokenFile: join(folder, 'token'),
      defaultMode: 'enforce',
      ...settings,
    });
    return { system, curtail: new TestPartition(system, 'physical') };
  };
  const victims = async (curtail: TestPartition) =>
    (await curtail.events('VictimEvicted')).map(({ data }) => data.allocation);

  it('makes room for an operation that starves, up to its fair share, and interrupts before it aborts', async () => {
    const { world } = fake;
    world.addTree('physical', quick);
    world.addPool('physical', 'prod');
    world.addPool('physical', 'dev');
    world.addNode('n1:9012', node, 'physical');
    world.addNode('n2:9012', node, 'physical');
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
    const aborted = fake.callsOf('abort_job');
    const taken = before.filter(({ state }) => state !== 'running').map(({ id }) => id);
    expect(new Set(aborted.map(({ job_id }) => job_id))).toEqual(new Set(taken));
    expect(taken.length).toBeLessThanOrEqual(10);
    expect(aborted.every(({ interrupt_timeout }) => interrupt_timeout === 1500)).toBe(true);
    expect(new Set(aborted.map(({ mutation_id }) => mutation_id)).size).toBe(aborted.length);
    expect((await victims(curtail)).sort()).toEqual([...taken].sort());
  });

  it('enforces a lowered limit at once, as YTsaurus does', async () => {
    const { world } = fake;
    world.addTree('physical', quick);
    const pool = world.addPool('physical', 'prod', { resource_limits: { cpu: 10 } });
    world.addNode('n1:9012', node, 'physical');
    const running = world.addOperation({ pool: 'prod', job, pending: 10, finishesAfterMs: undefined });
    const jobs = world.running(running);
    const { system, curtail } = await start();
    await system.until(
      'the jobs to be known',
      async () => (await curtail.remaining('root.prod')).length === 10,
    );
    world.setAttribute(pool, 'resource_limits', { cpu: 6 });
    await system.until('the pool to be within its limit', async () => world.running(running).length === 6);
    await system.until('four victims to be on record', async () => (await victims(curtail)).length === 4);
    const ended = jobs.filter(({ state }) => state === 'aborted').map(({ id }) => id);
    expect((await victims(curtail)).sort()).toEqual([...ended].sort());
    // A job that takes no interrupt is looked at again, and then aborted without a time to finish.
    for (const id of ended) {
      const calls = fake.callsOf('abort_job').filter(({ job_id }) => job_id === id);
      expect(calls.map(({ interrupt_timeout }) => interrupt_timeout)).toEqual([1500, undefined]);
    }
  });

  it('gives a lowered limit a clock first, and keeps the work when it is raised again', async () => {
    const { world } = fake;
    world.addTree('physical', quick);
    const pool = world.addPool('physical', 'prod');
    world.addNode('n1:9012', node, 'physical');
    const running = world.addOperation({ pool: 'prod', job, pending: 10 });
    const { system, curtail } = await start({ ytsaurusDelay: '1h' });
    await system.until(
      'the jobs to be known',
      async () => (await curtail.remaining('root.prod')).length === 10,
    );
    world.setAttribute(pool, 'resource_limits', { cpu: 6 });
    await curtail.event('EnforcementScheduled', 'root.prod');
    world.setAttribute(pool, 'resource_limits', { cpu: 10 });
    await curtail.event('EnforcementCancelled', 'root.prod');
    expect(world.running(running)).toHaveLength(10);
    expect(fake.callsOf('abort_job')).toEqual([]);
  });

  it('takes jobs off a node that has less than runs there', async () => {
    const { world } = fake;
    world.addTree('physical', { ...quick, allowed_node_resources_overcommit_duration: 1000 });
    world.addPool('physical', 'prod');
    const n1 = world.addNode('n1:9012', node, 'physical');
    world.addNode('n2:9012', node, 'physical');
    const running = world.addOperation({ pool: 'prod', job, pending: 20, retries: false });
    const { system, curtail } = await start();
    await system.until(
      'the jobs to be known',
      async () => (await curtail.remaining('root.prod')).length === 20,
    );
    n1.limits = { ...node, cpu: 8 };
    await system.until('the node to hold what it has', async () => world.usageOn('n1:9012').cpu === 8);
    await system.until('two victims to be on record', async () => (await victims(curtail)).length === 2);
    expect(world.running(running).filter((one) => one.node === 'n2:9012')).toHaveLength(10);
  });
});
