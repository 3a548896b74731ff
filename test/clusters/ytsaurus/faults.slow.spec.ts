import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CurtailSettings } from '#runtime';
import { createMigratedDatabase, type TestDatabase } from '../../support/database.js';
import { EmbeddedSystem } from '../../support/embedded-system.js';
import { TestPartition } from '../../support/test-partition.js';
import { FakeYtsaurus, YtFault } from './fake-ytsaurus.js';
import type { FakeJob, FakeOperation, FakePool } from './world.js';

const node = { cpu: 10, memory: 1000, user_slots: 100 };

/** A pool that is 4 jobs above its lowered limit, with a YTsaurus that fails: 4 jobs go, and no other in the place of one of them. */
describe('a pool tree of YTsaurus that fails', () => {
  let fake: FakeYtsaurus;
  let database: TestDatabase;
  let system: EmbeddedSystem | undefined;
  let pool: FakePool;
  let operation: FakeOperation;
  let jobs: FakeJob[];
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
    fake.anonymous = 'curtail';
    const { world } = fake;
    world.addTree('physical', { main_resource: 'cpu', allocation_preemption_timeout: 1500 });
    pool = world.addPool('physical', 'prod', { resource_limits: { cpu: 10 } });
    world.addNode('n1:9012', node, 'physical');
    operation = world.addOperation({ pool: 'prod', job: { cpu: 1 }, pending: 10, retries: false });
    jobs = world.running(operation);
    database = await createMigratedDatabase();
  });
  afterEach(async () => {
    await system?.stop();
    await database.drop();
    await fake.down();
  });

  const start = async () => {
    const settings: Partial<CurtailSettings> = {
      ...{ cluster: 'ytsaurus', ytsaurusUrl: fake.url, defaultMode: 'enforce' },
    };
    const started = await EmbeddedSystem.start(settings, database);
    system = started;
    return { system: started, curtail: new TestPartition(started, 'physical') };
  };
  const known = async () => {
    const started = await start();
    await started.system.until(
      'the jobs to be known',
      async () => (await started.curtail.remaining('root.prod')).length === 10,
    );
    return started;
  };
  const lower = () => fake.world.setAttribute(pool, 'resource_limits', { cpu: 6 });
  const asked = () => new Set(fake.callsOf('abort_job').map(({ job_id }) => job_id));
  const gone = () => {
    const running = new Set(fake.world.running(operation).map(({ id }) => id));
    return jobs.map(({ id }) => id).filter((id) => !running.has(id));
  };
  /** Those that were evicted, and those that a look found gone before the answer was there. */
  const victims = async (curtail: TestPartition) =>
    [...(await curtail.events('VictimEvicted')), ...(await curtail.events('VictimGone'))].map(
      ({ data }) => data.allocation,
    );
  /** Each job was asked for under one mutation id, and every repetition says that it is one. */
  const expectOneIdEach = () => {
    for (const job of asked()) {
      const calls = fake.callsOf('abort_job').filter(({ job_id }) => job_id === job);
      expect(new Set(calls.map(({ mutation_id }) => mutation_id)).size).toBe(1);
      expect(calls.slice(1).every(({ retry }) => retry === true)).toBe(true);
    }
  };

  it('loses answers: "no such job" on a repetition means done', async () => {
    const lost = new Set<unknown>();
    fake.trouble = ({ command, parameters: { job_id: job } }) => {
      if (command !== 'abort_job' || lost.has(job)) return undefined;
      lost.add(job);
      return { losesAnswer: true };
    };
    const { system, curtail } = await known();
    lower();
    await system.until('four victims to be on record', async () => (await victims(curtail)).length === 4);
    expect(gone()).toHaveLength(4);
    expect([...asked()].sort()).toEqual(gone().sort());
    expectOneIdEach();
    expect((await victims(curtail)).sort()).toEqual(gone().sort());
  });

  it('is asked by a Curtail that is ended between request and answer: the next one takes no other job', async () => {
    fake.trouble = ({ command, parameters: { job_id: id } }) => {
      if (command !== 'abort_job') return undefined;
      const job = jobs.find((one) => one.id === id);
      // Carried out, and not answered.
      if (job !== undefined) fake.world.endJob(job, 'completed');
      return { instead: () => {} };
    };
    const first = await known();
    lower();
    await first.system.until('a job to be asked for', async () => asked().size > 0);
    await first.system.stop();
    system = undefined;
    fake.trouble = () => undefined;
    const second = await start();
    await second.system.until('the pool to be within its limit', async () => gone().length === 4);
    await second.system.until(
      'the run to end',
      async () => (await second.curtail.events('EnforcementEnded')).length > 0,
    );
    expect(gone()).toHaveLength(4);
    expect([...asked()].sort()).toEqual(gone().sort());
  });

  it('answers 429 and 503: the same requests are repeated, and no other job is taken', async () => {
    const refused = new Map<unknown, number>();
    fake.trouble = ({ command, parameters: { job_id: job } }) => {
      if (command !== 'abort_job') return undefined;
      const times = (refused.get(job) ?? 0) + 1;
      refused.set(job, times);
      if (times === 1) return { fault: new YtFault(904, 'Request rate limit exceeded', [], 429) };
      return times === 2 ? { fault: new YtFault(105, 'Proxy is not available', [], 503) } : undefined;
    };
    const { system, curtail } = await known();
    lower();
    await system.until('four victims to be on record', async () => (await victims(curtail)).length === 4);
    expect([...asked()].sort()).toEqual(gone().sort());
    expectOneIdEach();
    expect(gone()).toHaveLength(4);
  });

  it('has lost its masters: nothing is planned on an old orchid, and nothing is aborted', async () => {
    const { system, curtail } = await known();
    fake.world.connected = false;
    lower();
    const looks = () =>
      fake.callsOf('get').filter(({ path }) => path === '//sys/scheduler/orchid/scheduler/connected').length;
    const before = looks();
    await system.until('further looks', async () => looks() >= before + 3);
    expect(await victims(curtail)).toEqual([]);
    expect(await curtail.events('EnforcementStarted')).toEqual([]);
    expect(asked().size).toBe(0);
    fake.world.connected = true;
    await system.until('four victims to be on record', async () => (await victims(curtail)).length === 4);
    expect(gone()).toHaveLength(4);
  });
});
