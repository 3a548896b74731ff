import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Resources } from '#contracts';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
});
afterAll(() => system.stop());

const q = 'yarn.scheduler.capacity.root.';
/** root.a may use `most` percent of the cluster, and root.a.x half of that. */
const yarn = (most: number, delay: string) => ({
  [`${q}queues`]: 'a,b',
  [`${q}a.queues`]: 'x',
  [`${q}a.capacity`]: '25',
  [`${q}a.maximum-capacity`]: String(most),
  [`${q}a.x.capacity`]: '100',
  [`${q}a.x.maximum-capacity`]: '50',
  [`${q}a.x.quota-preemption-delay`]: delay,
  [`${q}b.capacity`]: '75',
});

async function withNodes(partition: TestPartition, ...memory: number[]): Promise<void> {
  await system.db.query('DELETE FROM simulated_nodes WHERE partition = $1', [partition.name]);
  await system.db.query(
    `INSERT INTO simulated_nodes (partition, id, capacity)
     SELECT $1, 'n' || nr, json_build_object('memory', memory) FROM unnest($2::bigint[]) WITH ORDINALITY AS n (memory, nr)`,
    [partition.name, memory],
  );
}

/** A partition in which root.a.x uses 100, in five allocations. */
async function inUse(): Promise<TestPartition> {
  const partition = system.partition();
  await partition.run({ queue: 'root.a.x', count: 5, resources: { memory: 20 } });
  return partition;
}

async function submit(partition: TestPartition, body: unknown, query = '') {
  const answer = await partition.submit(body, query);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

const queue = async (partition: TestPartition) => {
  const { items } = await system.get<{ items: { queue: string; max: Resources | null }[] }>(
    `/v1/queues?partition=${partition.name}&queue=root.a.x`,
  );
  return items.find((one) => one.queue === 'root.a.x');
};

describe('a percentage of YARN', () => {
  it('that was saved before any node was known waits for the nodes, and is enforced by what it comes to then', async () => {
    const partition = await inUse();
    await submit(partition, yarn(80, '50ms'));
    expect(await partition.event('EnforcementScheduled', 'root.a.x')).toMatchObject({
      data: { current: { max: null, maxShare: '2/5' } },
    });
    await system.until('the clock to wait', async () => {
      const timers = await system.db.query<{ state: string }[]>(
        'SELECT state FROM timers WHERE partition = $1 AND name = $2',
        [partition.name, 'root.a.x'],
      );
      return timers[0]?.state === 'waiting';
    });
    expect(await queue(partition)).toMatchObject({ max: null, clusterShare: { max: '2/5' } });
    expect(await partition.events('EnforcementStarted')).toEqual([]);

    // 40 % of 150: two have to go.
    await withNodes(partition, 100, 50);
    const ended = await partition.ended('root.a.x');
    expect(ended.data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    expect((await partition.event('EnforcementStarted')).data).toMatchObject({
      values: { max: { memory: 60 }, maxShare: '2/5' },
    });
    expect(await partition.remaining()).toHaveLength(3);
    expect(await queue(partition)).toMatchObject({ max: { memory: 60 }, clusterShare: { max: '2/5' } });
    expect(await system.get(`/v1/enforcements/${ended.data.enforcement}/explanation`)).toMatchObject({
      limit: { max: { memory: 60 }, maxShare: '2/5' },
    });
  });

  it('is judged by the cluster at the due time: one that has grown leaves nothing to evict', async () => {
    const partition = await inUse();
    await withNodes(partition, 100);
    await submit(partition, yarn(80, '1h'));
    await partition.event('EnforcementScheduled', 'root.a.x');
    await withNodes(partition, 100, 150);
    const preview = await submit(partition, yarn(80, '50ms'), '?dryRun=true');
    expect(preview).toMatchObject({
      victims: 0,
      changed: [{ current: { max: { memory: 100 }, maxShare: '2/5' }, plan: { victims: [] } }],
    });
    await submit(partition, yarn(80, '50ms'));
    expect(await partition.event('EnforcementCancelled', 'root.a.x')).toMatchObject({
      data: { cause: 'not-needed' },
    });
    expect(await partition.remaining()).toHaveLength(5);
  });

  it('that goes down while the cluster shrinks is enforced by the smaller cluster, and nodes that go lower no quota', async () => {
    const partition = await inUse();
    await withNodes(partition, 150, 150);
    await submit(partition, yarn(80, '50ms'));
    expect((await partition.event('EnforcementCancelled', 'root.a.x')).data.cause).toBe('not-needed');
    await withNodes(partition, 150);
    await submit(partition, yarn(80, '50ms'));
    await partition.handled();
    expect(await partition.events('EnforcementScheduled')).toHaveLength(1);
    expect(await partition.remaining()).toHaveLength(5);

    // 30 % of 150.
    await submit(partition, yarn(60, '50ms'));
    expect((await partition.ended('root.a.x')).data).toMatchObject({ outcome: 'satisfied', evicted: 3 });
  });

  it('is judged before each eviction by the cluster of that moment', async () => {
    const partition = await inUse();
    await withNodes(partition, 100);
    const goOn = system.pauseExecutor();
    await submit(partition, yarn(80, '50ms'));
    expect((await partition.event('PlanComputed', 'root.a.x')).data).toMatchObject({
      max: { memory: 40 },
      maxShare: '2/5',
      plan: { victims: { length: 3 } },
    });
    await withNodes(partition, 100, 100);
    goOn();
    expect((await partition.ended('root.a.x')).data).toMatchObject({ evicted: 1, spared: 2 });
    expect(await partition.event('EnforcementRejudged')).toMatchObject({
      data: { previous: { memory: 40 }, max: { memory: 80 }, notices: [{ code: 'cluster-changed' }] },
    });
    expect(await partition.remaining()).toHaveLength(4);
  });
});

describe('a pool tree of YTsaurus', () => {
  const tree = (name: string) => ({
    pool_trees: { [name]: { pools: { a: { pools: { x: { resource_limits: { memory: 60 } } } } } } },
  });

  it('ends the clock of a percentage, and has limits in amounts: they are the same in every cluster, and have no clock', async () => {
    const partition = await inUse();
    await withNodes(partition, 100);
    await submit(partition, yarn(80, '1h'));
    await partition.event('EnforcementScheduled', 'root.a.x');
    await submit(partition, tree(partition.name));
    expect(await partition.event('EnforcementCancelled', 'root.a.x')).toMatchObject({
      data: { cause: 'delay-zero', current: { max: { memory: 60 }, delayMs: 0 } },
    });
    for (const memory of [1000, 10]) {
      await withNodes(partition, memory);
      const found = await queue(partition);
      expect(found?.max).toEqual({ memory: 60 });
      expect(found).not.toHaveProperty('clusterShare');
    }
    await partition.handled();
    expect(await partition.events('EnforcementScheduled')).toHaveLength(1);
  });
});
