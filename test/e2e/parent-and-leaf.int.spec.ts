import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StatusView } from '#contracts/api';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

const twenty = { memory: 20 };

async function twoLeaves(partition: TestPartition): Promise<void> {
  await partition.run(
    { queue: 'root.p.one', count: 5, resources: twenty },
    { queue: 'root.p.two', count: 5, resources: twenty },
  );
}

describe('a parent and a leaf below it', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    system = await EmbeddedSystem.start();
  });
  afterAll(() => system.stop());

  it('that are due at the same time: the leaf goes first, and the parent counts its victims as leaving', async () => {
    const partition = system.partition();
    await twoLeaves(partition);
    await partition.configure({
      p: {
        max: { memory: 120 },
        delay: '50ms',
        queues: { one: { max: { memory: 60 } }, two: {} },
      },
    });
    await partition.ended('root.p.one');
    await partition.ended('root.p');
    const [leaf, parent] = await partition.events('EnforcementStarted');
    expect([leaf?.key, parent?.key]).toEqual(['root.p.one', 'root.p']);
    expect(leaf?.data.dueAt).toBe(parent?.data.dueAt);
    expect(parent?.data.fencingToken).toBeGreaterThan(leaf?.data.fencingToken ?? Number.NaN);

    const [ofLeaf] = await partition.events('PlanComputed', 'root.p.one');
    const [ofParent] = await partition.events('PlanComputed', 'root.p');
    expect(ofLeaf?.position).toBeLessThan(ofParent?.position ?? 0n);
    expect(ofLeaf?.data.plan.victims.map(({ allocation }) => allocation)).toEqual(['one-5', 'one-4']);
    expect(ofParent?.data.plan.target).toEqual({ memory: 40 });
    expect(ofParent?.data.plan.victims.map(({ allocation }) => allocation)).toEqual(['two-5', 'two-4']);
    expect(await partition.usage('root.p')).toEqual({ memory: 120 });
  });

  it('of which the leaf refuses: the status has what the parent still exceeds, and the command that enforces it', async () => {
    const partition = system.partition();
    await partition.run(
      { queue: 'root.p.one', count: 5, resources: twenty, properties: { refuseEvictions: 99 } },
      { queue: 'root.p.two', count: 5, resources: twenty },
    );
    await partition.configure({
      p: { max: { memory: 120 }, delay: '50ms', queues: { one: { max: { memory: 60 } }, two: {} } },
    });
    expect((await partition.ended('root.p')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    const above = await system.until('the status to be of that end', async () => {
      const { partitions } = await system.get<StatusView>(`/v1/status?partition=${partition.name}`);
      const found = partitions[0]?.above.first.find(({ queue }) => queue === 'root.p');
      return found?.reason.includes('ended as satisfied') && found;
    });
    expect(above).toMatchObject({ above: { memory: 40 } });
    const words = ['status', '-o', 'table', '--partition', partition.name];
    const { stdout } = await curtail(['--server', system.url, '--no-color', ...words], { columns: 300 });
    expect(stdout).toMatch(/^root\.p +40 B .* enforce root\.p /m);
  });

  it('that are due one after the other: the parent waits for the plan of the leaf, not for its end', async () => {
    const partition = system.partition();
    await partition.run(
      { queue: 'root.p.one', count: 5, resources: twenty, properties: { refuseEvictions: 2 } },
      { queue: 'root.p.two', count: 5, resources: twenty },
    );
    await partition.configure({
      p: {
        max: { memory: 120 },
        delay: '150ms',
        queues: { one: { max: { memory: 60 }, delay: '50ms' }, two: {} },
      },
    });
    const parent = await partition.ended('root.p');
    const leaf = await partition.ended('root.p.one');
    expect(parent.position).toBeLessThan(leaf.position);
    const [plan] = await partition.events('PlanComputed', 'root.p');
    expect(plan?.data.plan.target).toEqual({ memory: 40 });
    expect(await partition.remaining()).toHaveLength(6);
  });
});

describe('a queue below one that runs', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    system = await EmbeddedSystem.start({ approveAboveVictims: 0 });
  });
  afterAll(() => system.stop());

  it('waits when it is due, continues when that run has ended, and has a larger token', async () => {
    const partition = system.partition();
    await twoLeaves(partition);
    await partition.configure({
      p: {
        max: { memory: 120 },
        delay: '30ms',
        queues: { one: { max: { memory: 40 }, delay: '200ms' }, two: {} },
      },
    });
    const above = await partition.event('EnforcementOpened', 'root.p');
    const timers = await system.until('the leaf to wait', async () => {
      const { items } = await system.get<{ items: { queue: string; state: string }[] }>(
        `/v1/timers?partition=${partition.name}`,
      );
      return items.some(({ state }) => state === 'waiting') && items;
    });
    expect(timers).toEqual([expect.objectContaining({ queue: 'root.p.one', state: 'waiting' })]);
    expect(await partition.events('EnforcementStarted', 'root.p.one')).toEqual([]);

    await partition.handled();
    await system.request('POST', `/v1/enforcements/${above.data.enforcement}/approve`, {});
    expect((await partition.ended('root.p')).data.evicted).toBe(4);
    const below = await partition.event('EnforcementOpened', 'root.p.one');
    const [released] = await partition.events('EnforcementReleased', 'root.p');
    const [started] = await partition.events('EnforcementStarted', 'root.p.one');
    expect(started?.position).toBeGreaterThan(released?.position ?? 0n);
    expect(started?.data.fencingToken).toBeGreaterThan(above.data.fencingToken);
    await partition.handled();
    await system.request('POST', `/v1/enforcements/${below.data.enforcement}/approve`, {});
    expect((await partition.ended('root.p.one')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    expect(await partition.usage('root.p.one')).toEqual({ memory: 40 });
  });

  it('does not keep a queue beside it from running', async () => {
    const partition = system.partition();
    await twoLeaves(partition);
    await partition.configure({
      p: {
        queues: { one: { max: { memory: 80 }, delay: '30ms' }, two: { max: { memory: 80 }, delay: '60ms' } },
      },
    });
    await partition.event('EnforcementOpened', 'root.p.one');
    await partition.event('EnforcementOpened', 'root.p.two');
    expect(await partition.events('EnforcementEnded')).toEqual([]);
  });
});
