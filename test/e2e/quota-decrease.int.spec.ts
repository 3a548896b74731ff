import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

const delay = '60ms';
const twenty = { memory: 20 };

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
});
afterAll(() => system.stop());

/** Two queues of 100 each; that of `a` goes down to 60 after a moment. */
async function lower(partition: TestPartition): Promise<void> {
  await partition.run(
    { queue: 'root.a', count: 5, resources: twenty },
    { queue: 'root.b', count: 5, resources: twenty },
  );
  const b = { max: { memory: 50 }, delay: '0s' };
  await partition.configure({ a: { max: { memory: 100 }, delay }, b });
  await partition.event('EnforcementCancelled', 'root.a');
  await partition.configure({ a: { max: { memory: 60 }, delay }, b });
}

describe('a quota that is lowered', () => {
  it('goes its way from the configuration to the freed queue, each step on record once and in order', async () => {
    const partition = system.partition();
    await lower(partition);
    const { data: ended } = await partition.ended('root.a');
    await partition.settled();

    expect(ended).toMatchObject({ outcome: 'satisfied', evicted: 2, freed: { memory: 40 }, shortfall: {} });
    const since = (await partition.log()).findLastIndex((event) => event.name === 'ConfigApplied');
    expect((await partition.log()).slice(since).map(({ name, key }) => `${name} ${key}`)).toEqual([
      `ConfigApplied ${partition.name}`,
      'QuotaChanged root.a',
      'EnforcementScheduled root.a',
      'EnforcementStarted root.a',
      'PlanComputed root.a',
      'EnforcementOpened root.a',
      'VictimOrdered root.a',
      'VictimOrdered root.a',
      'VictimEvicted root.a',
      'VictimEvicted root.a',
      'EnforcementEnded root.a',
      'EnforcementReleased root.a',
    ]);
  });

  it('takes the planned victims in the order of their ranks and touches no one else', async () => {
    const partition = system.partition();
    await lower(partition);
    await partition.ended('root.a');

    const [computed] = await partition.events('PlanComputed');
    expect(computed?.data.plan.victims.map(({ allocation }) => allocation)).toEqual(['a-5', 'a-4']);
    const evicted = await partition.events('VictimEvicted');
    expect(evicted.map(({ data }) => [data.rank, data.allocation, data.recovered])).toEqual([
      [1, 'a-5', false],
      [2, 'a-4', false],
    ]);
    expect(await partition.remaining()).toEqual(['a-1', 'a-2', 'a-3', 'b-1', 'b-2', 'b-3', 'b-4', 'b-5']);
    expect(await partition.usage('root.a')).toEqual({ memory: 60 });
    expect(await partition.usage('root.b')).toEqual({ memory: 100 });
  });

  it('is never enforced before its delay is over', async () => {
    const partition = system.partition();
    await lower(partition);
    const applied = (await partition.events('ConfigApplied')).at(-1);
    const scheduled = await partition.event('EnforcementScheduled', 'root.a', 2);
    const { data } = await partition.event('EnforcementStarted', 'root.a');
    expect(Date.parse(scheduled.data.dueAt)).toBe((applied?.time.getTime() ?? 0) + 60);
    expect(data.dueAt).toBe(scheduled.data.dueAt);
    expect(data.lateMs).toBe(Date.parse(data.startedAt) - Date.parse(data.dueAt));
    expect(data.lateMs).toBeGreaterThanOrEqual(0);
    await partition.ended('root.a');
  });

  it('is the same in the read model, the queues, the timers and the explanation', async () => {
    const partition = system.partition();
    await lower(partition);
    const { data: ended } = await partition.ended('root.a');
    await partition.settled();

    const at = `?partition=${partition.name}`;
    const { items: runs } = await system.get<{ items: Record<string, unknown>[] }>(`/v1/enforcements${at}`);
    // The clock of the first configuration ended without a run.
    expect(runs.filter(({ state, outcome }) => state === 'ended' && outcome !== 'not-needed')).toEqual([
      expect.objectContaining({
        enforcement: ended.enforcement,
        outcome: 'satisfied',
        mode: 'enforce',
        target: { memory: 40 },
        freed: { memory: 40 },
        victims: 2,
        evicted: 2,
      }),
    ]);
    const one = await system.get<{ plannedVictims: object[] }>(`/v1/enforcements/${ended.enforcement}`);
    expect(one.plannedVictims).toEqual([
      expect.objectContaining({ allocation: 'a-5', rank: 1, state: 'evicted' }),
      expect.objectContaining({ allocation: 'a-4', rank: 2, state: 'evicted' }),
    ]);
    expect(await system.get(`/v1/queues/root.a${at}`)).toMatchObject({
      max: { memory: 60 },
      usage: { memory: 60 },
      delaySeconds: 0.06,
      dueAt: null,
      enforcement: null,
    });
    expect(await system.get(`/v1/timers${at}`)).toEqual({ items: [] });
    const why = await system.get<{ plan: { spared: object[] }; replayable: boolean }>(
      `/v1/enforcements/${ended.enforcement}/explanation`,
    );
    expect(why.replayable).toBe(true);
    expect(why.plan.spared).toHaveLength(3);
    expect(await system.get(`/v1/allocations/a-4/explanation${at}`)).toMatchObject({
      chosen: [{ enforcement: ended.enforcement, rank: 2 }],
      spared: [],
    });
    expect(await system.get(`/v1/allocations/a-1/explanation${at}`)).toMatchObject({
      chosen: [],
      spared: [{ enforcement: ended.enforcement, queue: 'root.a', reason: expect.any(String) }],
    });
  });
});
