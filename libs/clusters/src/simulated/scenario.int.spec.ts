import { openDatabase } from '@curtail/event-store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { applicationsWithWork } from './applications.js';
import { placeScenario } from './scenario.js';
import { SimulatedCluster } from './simulated-cluster.js';

const gb = 1_000_000_000;
const partition = 'p';

describe('a scenario in the simulated cluster', () => {
  let server: TestDatabase;
  let db: DataSource;
  let cluster: SimulatedCluster;
  beforeAll(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    cluster = new SimulatedCluster(db);
  });
  afterAll(async () => {
    await db?.destroy();
    await server?.drop();
  });
  beforeEach(() => db.query('DELETE FROM queues'));

  const node = { id: 'n1', capacity: { memory: '4G' } };
  const task = (count: number) => ({ count, resources: { memory: '1G' } });
  const scenarioOf = (applications: object[]) => ({ nodes: [node], applications, replace: true });
  const work = async () =>
    (await applicationsWithWork(db, partition)).map(
      ({ application, running, waiting }) => `${application}: ${running} run, ${waiting} wait`,
    );

  it('loads its work, in the units of configurations', async () => {
    const app = { id: 'a', queue: 'root.q', user: 'ada', running: [task(3)], pending: [task(2)] };
    expect(await placeScenario(db, partition, scenarioOf([app]))).toEqual({
      partition,
      nodes: 1,
      applications: 1,
      allocations: 3,
    });
    expect(await work()).toEqual(['a: 3 run, 2 wait']);
    expect(await cluster.capacity(partition)).toEqual({ memory: 4 * gb });
  });

  it('starts what waits as far as there is room: the more important first, then who has less', async () => {
    await placeScenario(
      db,
      partition,
      scenarioOf([
        { id: 'has-much', queue: 'root.q', user: 'ada', running: [task(1)], pending: [task(1)] },
        { id: 'has-nothing', queue: 'root.q', user: 'grace', pending: [task(1)] },
        { id: 'urgent', queue: 'root.q', user: 'alan', priority: 5, pending: [task(1)] },
        { id: 'patient', queue: 'root.q', user: 'tony', pending: [task(1)], startsWhenRoom: false },
      ]),
    );
    await db.query(
      `INSERT INTO queues (partition, path, max, delay_ms, parent) VALUES ($1, 'root.q', '{"memory": ${3 * gb}}', 0, false)`,
      [partition],
    );
    expect(await cluster.startPending()).toBe(2);
    expect(await work()).toEqual([
      'has-much: 1 run, 1 wait',
      'has-nothing: 1 run, 0 wait',
      'patient: 0 run, 1 wait',
      'urgent: 1 run, 0 wait',
    ]);
    await db.query('DELETE FROM queues');
    expect([await cluster.startPending(), await cluster.startPending()]).toEqual([1, 0]);
  });

  it.each([
    ['a field that it does not have', { nodes: [node], applications: [], pods: [] }, 'pods'],
    [
      'an amount without a meaning',
      { nodes: [{ id: 'n', capacity: { memory: 'much' } }], applications: [] },
      'nodes[0].capacity.memory',
    ],
    [
      'work that has no room',
      scenarioOf([{ id: 'a', queue: 'root.q', user: 'u', running: [task(5)] }]),
      'applications[0].running[0].count',
    ],
    ['a queue that is none', scenarioOf([{ id: 'a', queue: 'q', user: 'u' }]), 'applications[0].queue'],
    ['no user', scenarioOf([{ id: 'a', queue: 'root.q' }]), 'applications[0].user'],
    [
      'a count below one',
      scenarioOf([{ id: 'a', queue: 'root.q', user: 'u', pending: [task(0)] }]),
      'applications[0].pending[0].count',
    ],
  ])('refuses %s, and leaves everything as it was', async (_, input, path) => {
    const before = await work();
    await expect(placeScenario(db, partition, input)).rejects.toMatchObject({ path });
    expect(await work()).toEqual(before);
  });

  it('keeps off work that it may not take away', async () => {
    await placeScenario(db, partition, scenarioOf([{ id: 'a', queue: 'root.q', user: 'u' }]));
    await expect(placeScenario(db, partition, { nodes: [], applications: [] })).rejects.toThrow('replace');
  });
});
