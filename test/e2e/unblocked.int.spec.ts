import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { place } from '#clusters';
import type { Preview } from '#contracts/api';
import { StreamConflict } from '#event-store';
import { UnblockQueues } from '../../apps/timer/src/reconcile/unblock-queues.js';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { configuration, type QueueSpec } from '../support/queue-spec.js';
import { TestPartition } from '../support/test-partition.js';

/* A queue that stays above its quota gets another run once what blocked it has changed, and no run before. */
describe('a queue that a disruption budget keeps above its quota', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    system = await EmbeddedSystem.start({ reconcileSeconds: 1 });
  });
  afterAll(() => system.stop());

  it('is named with the budget, and brought down by one more run when that opens', async () => {
    const partition = system.partition();
    const startedAt = new Date(Date.now() - 86_400_000).toISOString();
    const task = (id: string) => ({
      ...{ id, application: 'shop', queue: 'root.a', startedAt },
      ...{ resources: { memory: 20 }, budgets: ['web'] },
    });
    await place(system.db, partition.name, {
      budgets: [{ id: 'web', allowed: 0 }],
      applications: [{ id: 'shop', queue: 'root.a' }],
      allocations: ['s1', 's2', 's3'].map(task),
    });
    await partition.configure({ a: { max: { memory: 40 }, delay: '20ms' } });
    expect((await partition.ended('root.a')).data).toMatchObject({
      outcome: 'impossible',
      blocked: expect.arrayContaining([expect.objectContaining({ code: 'disruption-budget' })]),
    });
    // The reconciler has checked it, and only records it.
    const notMet = await partition.event('QuotaNotMet', 'root.a');
    expect(notMet.data.notices[0]?.message).toContain('Budget web has too little left');
    expect(await partition.events('EnforcementScheduled')).toHaveLength(1);

    await system.db.query('UPDATE simulated_budgets SET allowed = 1 WHERE partition = $1', [partition.name]);
    expect((await partition.ended('root.a', 2)).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    const scheduled = await partition.events('EnforcementScheduled');
    expect(scheduled.map(({ data }) => data.cause)).toEqual(['quota-lowered', 'unblocked']);
    expect(scheduled[1]?.data.unblocked).toMatchObject({ attempt: 1, code: 'disruption-budget' });
  });

  it('is foreseen by a dry run that turns the switch on after the budget has opened', async () => {
    const partition = system.partition();
    const startedAt = new Date(Date.now() - 86_400_000).toISOString();
    await place(system.db, partition.name, {
      budgets: [{ id: 'web', allowed: 0 }],
      applications: [{ id: 'shop', queue: 'root.a' }],
      allocations: ['s1', 's2', 's3'].map((id) => ({
        ...{ id, application: 'shop', queue: 'root.a', startedAt },
        ...{ resources: { memory: 20 }, budgets: ['web'] },
      })),
    });
    const queues = { a: { max: { memory: 40 }, delay: '20ms' } };
    await partition.configure(queues);
    expect((await partition.ended('root.a')).data.outcome).toBe('impossible');
    await partition.settled();
    await partition.configure(queues, false);
    await system.db.query('UPDATE simulated_budgets SET allowed = 1 WHERE partition = $1', [partition.name]);
    const on = configuration(partition.name, queues);
    expect((await partition.submit(on, '?dryRun=true')).body).toMatchObject({ victims: 1 });
    await partition.configure(queues);
    expect((await partition.ended('root.a', 2)).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
  });

  it.each<[string, QueueSpec, QueueSpec]>([
    ['guaranteed amounts', { guaranteed: { vcore: 3 } }, {}],
    ['a protection', { properties: { 'curtail.protect': 'true' } }, { properties: {} }],
  ])(
    'is foreseen where a configuration takes %s away, and not by one that leaves them',
    async (_what, blocking, without) => {
      const partition = system.partition();
      await partition.run({ queue: 'root.a', count: 3, resources: { memory: 20, vcore: 1 } });
      const quota = { max: { memory: 40 }, delay: '20ms' };
      const dryRun = async (queue: QueueSpec) => {
        const body = configuration(partition.name, { a: queue });
        return (await partition.submit(body, '?dryRun=true')).body as unknown as Preview;
      };
      await partition.configure({ a: { ...quota, ...blocking } });
      expect((await partition.ended('root.a')).data.outcome).toBe('impossible');
      await partition.settled();
      expect(await dryRun({ ...quota, ...blocking })).toMatchObject({ victims: 0, pending: [] });
      const unrelated = { properties: { ...blocking.properties, 'application.sort.policy': 'fair' } };
      expect(await dryRun({ ...quota, ...blocking, ...unrelated })).toMatchObject({
        victims: 0,
        pending: [],
      });

      const preview = await dryRun({ ...quota, ...without });
      expect(preview).toMatchObject({
        victims: 1,
        changed: [],
        pending: [{ queue: 'root.a', clock: { effect: 'starts or restarts' }, order: 1 }],
      });
      await partition.configure({ a: { ...quota, ...without } });
      expect((await partition.ended('root.a', 2)).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
      const evicted = await partition.events('VictimEvicted');
      expect(preview.pending[0]?.plan?.victims.map(({ allocation }) => allocation)).toEqual(
        evicted.map(({ data }) => data.allocation),
      );
    },
  );

  it('gets a further run after a pause where its evictions failed', async () => {
    const partition = system.partition();
    const tasks = { queue: 'root.a', resources: { memory: 20 } };
    await partition.run(
      { ...tasks, name: 'old', count: 2 },
      { ...tasks, name: 'refusing', count: 3, properties: { refuseEvictions: 'always' } },
    );
    await partition.configure({ a: { max: { memory: 80 }, delay: '20ms' } });
    const { data, time } = await partition.ended('root.a');
    expect(data).toMatchObject({ failed: 1, blocked: [{ code: 'eviction-failed', victims: 1 }] });
    const next = await partition.event('EnforcementScheduled', 'root.a', 2);
    expect(next.data).toMatchObject({
      cause: 'unblocked',
      unblocked: { after: data.enforcement, attempt: 1 },
    });
    expect(Date.parse(next.data.dueAt)).toBe(new Date(time).getTime() + 60_000);
  });
});

describe('a queue above its quota, with two processes that compare, and restarts between', () => {
  it('gets one more run for each change of what blocks it', async () => {
    const database = await createMigratedDatabase();
    // They compare only where the test has them, both at once.
    const startTwo = async () => {
      const start = () => EmbeddedSystem.start({ reconcileSeconds: 3600 }, database);
      return [await start(), await start()] as const;
    };
    const stopBoth = async () => {
      for (const system of systems) await system.stop();
    };
    let systems = await startTwo();
    try {
      const { name } = systems[0].partition();
      const partition = () => new TestPartition(systems[0], name);
      const compare = async () => {
        const checks = systems.map((system) => system.part(UnblockQueues));
        const each = [...checks, ...checks].map((one) =>
          one.check(name).catch((error: unknown) => {
            // As in the reconciler: another one has changed the clock.
            if (error instanceof StreamConflict) return 0;
            throw error;
          }),
        );
        const set = await Promise.all(each);
        return set.reduce((sum, one) => sum + one, 0);
      };
      const open = (allowed: number) =>
        systems[0].db.query('UPDATE simulated_budgets SET allowed = $2 WHERE partition = $1', [
          name,
          allowed,
        ]);
      const startedAt = new Date(Date.now() - 86_400_000).toISOString();
      await place(systems[0].db, name, {
        budgets: [{ id: 'web', allowed: 0 }],
        applications: [{ id: 'shop', queue: 'root.a' }],
        allocations: ['s1', 's2', 's3', 's4'].map((id) => ({
          ...{ id, application: 'shop', queue: 'root.a', startedAt },
          ...{ resources: { memory: 20 }, budgets: ['web'] },
        })),
      });
      await partition().configure({ a: { max: { memory: 40 }, delay: '20ms' } });
      expect((await partition().ended('root.a')).data.outcome).toBe('impossible');
      await partition().settled();
      expect(await compare()).toBe(0);
      await stopBoth();

      systems = await startTwo();
      expect(await compare()).toBe(0);
      await open(1);
      expect(await compare()).toBe(1);
      expect((await partition().ended('root.a', 2)).data).toMatchObject({
        outcome: 'best-effort',
        evicted: 1,
      });
      await partition().settled();
      expect(await compare()).toBe(0);
      await open(1);
      await stopBoth();

      systems = await startTwo();
      // A start compares, too.
      await compare();
      expect((await partition().ended('root.a', 3)).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
      await partition().settled();
      await open(5);
      expect(await compare()).toBe(0);
      const scheduled = await partition().events('EnforcementScheduled');
      expect(scheduled.map(({ data }) => data.cause)).toEqual(['quota-lowered', 'unblocked', 'unblocked']);
      expect(await partition().events('EnforcementEnded')).toHaveLength(3);
    } finally {
      await stopBoth();
      await database.drop();
    }
  });
});
