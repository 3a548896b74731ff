import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

const twenty = { memory: 20 };

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start({ victimsPerSecond: 1 });
});
afterAll(() => system.stop());

/** A run over four victims, one a second, of which the first is evicted. */
async function underWay(): Promise<{ partition: TestPartition; enforcement: string }> {
  const partition = system.partition();
  await partition.run({ queue: 'root.a', count: 5, resources: twenty });
  await partition.configure({ a: { max: { memory: 20 }, delay: '20ms' } });
  const { data } = await partition.event('VictimEvicted', 'root.a');
  return { partition, enforcement: data.enforcement };
}

describe('a run under way', () => {
  it('evicts no more in any second than it may', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 40 }, delay: '20ms' } });
    await partition.ended('root.a');
    const orders = (await partition.events('VictimOrdered')).map(({ data }) => Date.parse(data.orderedAt));
    expect(orders).toHaveLength(3);
    for (let i = 1; i < orders.length; i++) {
      expect((orders[i] ?? 0) - (orders[i - 1] ?? 0)).toBeGreaterThanOrEqual(1000);
    }
  });

  it('is stopped between two kills by the kill switch, which holds the clock until it is cleared', async () => {
    const { partition } = await underWay();
    const at = { partition: partition.name };
    await system.request('POST', '/v1/kill-switch', { ...at, by: 'ada', reason: 'incident' });
    expect((await partition.ended('root.a')).data).toMatchObject({
      outcome: 'stopped',
      evicted: 1,
      spared: 3,
      freed: { memory: 20 },
      shortfall: { memory: 60 },
    });
    expect(await partition.remaining()).toEqual(['a-1', 'a-2', 'a-3', 'a-4']);
    expect((await system.get<{ items: object[] }>('/v1/kill-switch')).items).toContainEqual(
      expect.objectContaining({ ...at, queue: null, by: 'ada', reason: 'incident' }),
    );
    await partition.settled();

    // The victims that the run left are kept for later, and so are quotas that are saved meanwhile.
    const suspended = async () => (await partition.events('EnforcementSkipped', 'root.a')).at(-1)?.data.cause;
    expect(await suspended()).toBe('suspended');
    await partition.configure({ a: { max: { memory: 19 }, delay: '20ms' } });
    await partition.event('EnforcementRescheduled', 'root.a');
    await partition.settled();
    expect(await suspended()).toBe('suspended');
    expect(await partition.events('EnforcementEnded')).toHaveLength(1);

    expect(
      (await system.request('DELETE', `/v1/kill-switch?partition=${partition.name}`)).body,
    ).toMatchObject({ cleared: 1 });
    expect((await partition.ended('root.a', 2)).data).toMatchObject({ outcome: 'satisfied', evicted: 4 });
    const resumed = (await partition.events('EnforcementRescheduled', 'root.a')).at(-1);
    expect(resumed?.data.cause).toBe('resumed');
    const cleared = await partition.event('KillSwitchCleared');
    expect(resumed?.data.dueAt).toBe(new Date(cleared.time.getTime() + 20).toISOString());
  });

  it('does not start from a clock that falls due under a kill switch, which gets its whole delay after that', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await system.request('POST', '/v1/kill-switch', {
      partition: partition.name,
      queue: 'root.a',
      by: 'ada',
    });
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    await partition.event('EnforcementSkipped', 'root.a');
    await partition.settled();
    expect(await partition.events('EnforcementStarted')).toEqual([]);
    await system.request('DELETE', `/v1/kill-switch?partition=${partition.name}&queue=root.a`);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
  });

  it('is stopped by the kill switch of a queue above it, and not by that of another queue', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.p.a', count: 5, resources: twenty });
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, queue: 'root.p.aa' });
    await partition.configure({ p: { queues: { a: { max: { memory: 20 }, delay: '20ms' } } } });
    await partition.event('VictimEvicted', 'root.p.a', 2);
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, queue: 'root.p' });
    expect((await partition.ended('root.p.a')).data).toMatchObject({ outcome: 'stopped', evicted: 2 });
  });

  it('spares the victims of a stopped queue below it and takes the others', async () => {
    const partition = system.partition();
    await partition.run(
      { queue: 'root.p.a', count: 2, resources: twenty },
      { queue: 'root.p.b', count: 2, resources: twenty },
    );
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, queue: 'root.p.a' });
    await partition.configure({ p: { max: { memory: 40 }, delay: '20ms', queues: { a: {}, b: {} } } });
    expect((await partition.ended('root.p')).data).toMatchObject({
      outcome: 'best-effort',
      evicted: 1,
      spared: 1,
    });
    expect(await partition.remaining()).toEqual(['a-1', 'a-2', 'b-1']);
  });

  it('is stopped when the partition is only observed from then on', async () => {
    const { partition } = await underWay();
    await system.request('PUT', `/v1/partitions/${partition.name}/mode`, { mode: 'observe' });
    expect((await partition.ended('root.a')).data).toMatchObject({
      outcome: 'stopped',
      evicted: 1,
      spared: 3,
    });
  });

  it('is cancelled by an operator; what is evicted stays evicted', async () => {
    const { partition, enforcement } = await underWay();
    await partition.handled();
    await system.request('POST', `/v1/enforcements/${enforcement}/cancel`, { by: 'ada' });
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'cancelled', evicted: 1, spared: 3 });
    await partition.settled();
    expect(await system.get(`/v1/enforcements/${enforcement}`)).toMatchObject({
      state: 'ended',
      outcome: 'cancelled',
      evicted: 1,
    });
    expect(await system.db.query('SELECT * FROM planned_victims')).toEqual([]);
  });

  it('is ended by the switch of the partition where it has evicted nothing, and follows once that is on again', async () => {
    const careful = await EmbeddedSystem.start({ approveAboveVictims: 0 });
    const partition = careful.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    const queues = { a: { max: { memory: 60 }, delay: '20ms' } };
    await partition.configure(queues);
    const { data } = await partition.event('ExecutionOpened', 'root.a');
    expect(await partition.configure(queues, false)).toMatchObject({
      running: [{ queue: 'root.a', enforcement: data.enforcement, evicting: false }],
    });
    expect((await partition.ended('root.a')).data).toMatchObject({
      outcome: 'stopped',
      evicted: 0,
      spared: 2,
    });
    await partition.configure(queues, true);
    expect((await partition.event('ExecutionOpened', 'root.a', 2)).data.needsApproval).toBe(true);
    await careful.stop();
  });

  it('is not changed by a save or by the switch of the partition once it evicts', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    await partition.event('VictimEvicted', 'root.a');
    expect(await partition.configure({ a: { max: { memory: 100 }, delay: '20ms' } }, false)).toMatchObject({
      running: [{ queue: 'root.a', evicting: true }],
    });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
  });

  it('continues where it was when the service ends in the middle and starts again', async () => {
    const database = await createMigratedDatabase();
    const first = await EmbeddedSystem.start({ victimsPerSecond: 1 }, database);
    const partition = first.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 40 }, delay: '20ms' } });
    await partition.event('VictimEvicted', 'root.a');
    await first.stop();

    const second = await EmbeddedSystem.start({ victimsPerSecond: 1 }, database);
    const again = second.partition();
    expect((await again.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 3 });
    expect((await again.events('VictimOrdered')).map(({ data }) => [data.rank, data.attempt])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect(await again.remaining()).toEqual(['a-1', 'a-2']);
    await second.stop();
    await database.drop();
  });
});
