import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ListPage, QueueView, StatusView, TimerView } from '#contracts/api';
import { stopKinds } from '#holds';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

const said = 'The rack below root.a is being repaired.';
const ten = { memory: 10 };

let system: EmbeddedSystem;
beforeAll(async () => {
  // A suspended clock resumes with the next reconciliation: the kind has no event of its own that tells.
  system = await EmbeddedSystem.start({ victimsPerSecond: 1, reconcileSeconds: 1 });
  await system.db.query('CREATE TABLE repairs (partition text, queue text)');
  stopKinds.add({
    name: 'repair',
    rows: `SELECT partition, queue, 'inventory' AS set_by, NULL AS reason, '${said}' AS said FROM repairs`,
  });
});
afterAll(() => system?.stop());

const begin = ({ name }: TestPartition) =>
  system.db.query("INSERT INTO repairs VALUES ($1, 'root.a')", [name]);

async function running(): Promise<TestPartition> {
  const partition = system.partition();
  await partition.run({ queue: 'root.a', count: 20, resources: ten });
  return partition;
}

const lower = (partition: TestPartition) =>
  partition.configure({ a: { max: { memory: 50 }, delay: '20ms' } });

describe('a kind of hold that was added to the registry', () => {
  it('holds the clock of what it covers, and is named wherever that is explained', async () => {
    const partition = await running();
    await begin(partition);
    await lower(partition);
    const { data } = await partition.event('EnforcementSkipped', 'root.a');
    expect(data).toMatchObject({ cause: 'suspended' });
    const at = `partition=${partition.name}`;
    const timers = await system.get<ListPage<TimerView>>(`/v1/timers?${at}`);
    expect(timers.items).toMatchObject([
      { state: 'suspended', waiting: { message: expect.stringContaining(said) } },
    ]);
    const queues = await system.get<ListPage<QueueView>>(`/v1/queues?${at}`);
    expect(queues.items.map(({ queue, stopped }) => [queue, stopped])).toEqual([
      ['root', false],
      ['root.a', true],
    ]);
    const { partitions } = await system.get<StatusView>(`/v1/status?${at}`);
    expect(partitions[0]!.above).toMatchObject({
      first: [{ queue: 'root.a', code: 'suspended', reason: expect.stringContaining(said) }],
    });
    const request = { partition: partition.name, atOnce: true, by: 'ada' };
    expect(await system.request('POST', '/v1/queues/root.a/enforce', request)).toMatchObject({
      status: 409,
      body: { type: 'urn:curtail:problem:stopped', detail: expect.stringContaining(said) },
    });
    expect(await partition.events('EnforcementStarted')).toEqual([]);
    await system.db.query('DELETE FROM repairs');
    await partition.event('EnforcementStarted', 'root.a');
  });

  it('ends a run whose evictions it covers', async () => {
    const partition = await running();
    await lower(partition);
    await partition.event('VictimEvicted', 'root.a');
    await begin(partition);
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'stopped', message: expect.stringContaining(said) });
    expect(data.evicted).toBeLessThan(15);
  });
});
