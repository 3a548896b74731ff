import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSnapshotBody } from '#event-store';
import { planGiven } from '#planning';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { lastRound, moreRounds } from '../support/inversion.js';
import { addOldestFirst } from '../support/oldest-first.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
beforeAll(async () => {
  addOldestFirst();
  system = await EmbeddedSystem.start();
});
afterAll(() => system?.stop());

const cpu = { cpu: 1 };

const submit = (partition: TestPartition, policies: object, query = '') =>
  partition.submit(
    {
      partitions: [
        {
          name: partition.name,
          preemption: { policies },
          queues: [{ name: 'root', queues: [{ name: 'q' }] }],
        },
      ],
    },
    query,
  );

async function withTasks(count: number, policies: object): Promise<TestPartition> {
  const partition = system.partition();
  await partition.run({ queue: 'root.q', count, resources: cpu });
  expect(await submit(partition, policies)).toMatchObject({ status: 200 });
  return partition;
}

describe('a policy that was added to the registries', () => {
  it('has rounds, which evict its victims once, on record', async () => {
    const partition = await withTasks(5, { 'oldest-first': { keep: 3 } });
    const { data: ended } = await partition.event('EnforcementEnded');
    expect(ended).toMatchObject({ policy: 'oldest-first', outcome: 'satisfied', evicted: 2 });
    await moreRounds(system, partition.name, 2);
    expect(await partition.remaining()).toEqual(['q-3', 'q-4', 'q-5']);
    const evicted = await partition.events('VictimEvicted');
    expect(evicted.map(({ data }) => data.allocation)).toEqual(['q-1', 'q-2']);
    expect(await lastRound(system, partition.name)).toMatchObject({
      policy: 'oldest-first',
      plan: { outcome: 'not-needed', victims: 0 },
    });
  });

  it('can be replayed from the log', async () => {
    const partition = await withTasks(2, { 'oldest-first': { keep: 1 } });
    const { data } = await partition.event('PlanComputed');
    const snapshot = await readSnapshotBody(system.db, data.snapshotDigest);
    const { trigger, settings } = data;
    expect(planGiven({ snapshot, trigger, settings })).toEqual(data.plan);
  });

  it('is explained and listed like every other', async () => {
    const partition = await withTasks(4, { 'oldest-first': { keep: 2 } });
    const { data: ended } = await partition.event('EnforcementEnded');
    await system.published();
    const found = await system.until('the read model to know the run', async () => {
      const { items } = await system.get<{
        items: { enforcement: string; policy: string; outcome: string | null }[];
      }>(`/v1/enforcements?partition=${partition.name}`);
      return items.find(({ enforcement, outcome }) => enforcement === ended.enforcement && outcome !== null);
    });
    expect(found).toMatchObject({ policy: 'oldest-first', outcome: 'satisfied' });
    const explained = await system.get<{ sentences?: string[] }>(
      `/v1/allocations/q-1/explanation?partition=${partition.name}`,
    );
    expect(JSON.stringify(explained)).toContain('q-1 is older than the 2 youngest allocations.');
  });

  it('is part of the preview of a configuration', async () => {
    const partition = await withTasks(3, {});
    const { body } = await submit(partition, { 'oldest-first': { keep: 1 } }, '?dryRun=true');
    expect(body).toMatchObject({
      rounds: [{ policy: 'oldest-first', more: ['q-1', 'q-2'] }],
      policyChanges: [{ policy: 'oldest-first', change: 'starts' }],
    });
  });

  it('stops when the configuration does not name it any more', async () => {
    const partition = await withTasks(1, { 'oldest-first': { keep: 1 } });
    await moreRounds(system, partition.name, 1);
    expect(await submit(partition, {})).toMatchObject({ status: 200 });
    await system.until('its timer to go', async () => {
      const { items } = await system.get<{ items: object[] }>(`/v1/timers?partition=${partition.name}`);
      return items.length === 0;
    });
  });

  it('has its settings checked, and named in errors', async () => {
    const partition = system.partition();
    const { body } = await submit(partition, { 'oldest-first': { keep: 'few' }, unheard: {} });
    expect(JSON.stringify(body)).toContain('must be a whole number');
    expect(JSON.stringify(body)).toContain('oldest-first');
  });
});
