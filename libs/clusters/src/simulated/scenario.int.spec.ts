import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { RefusedInput } from '#platform';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import type { EvictionRequest } from '../driver.js';
import { placeScenario } from './scenario.js';
import { SimulatedCluster } from './simulated-cluster.js';
import { applicationsWithWork } from './work.js';

const gb = 1_000_000_000;
const partition = 'p';

describe('a scenario in the simulated cluster', () => {
  let db: DataSource;
  let cluster: SimulatedCluster;
  withMigratedDatabase((opened) => {
    db = opened;
    cluster = new SimulatedCluster(db);
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
    [
      'a field that is none',
      scenarioOf([{ id: 'a', queue: 'root.q', user: 'u', running: [{ ...task(1), refuse: 1 }] }]),
      'applications[0].running[0].refuse',
      /^is unknown; did you mean refuses/,
    ],
    [
      'a number of refusals that is none',
      scenarioOf([{ id: 'a', queue: 'root.q', user: 'u', running: [{ ...task(1), refuses: 'often' }] }]),
      'applications[0].running[0].refuses',
    ],
    ['a queue that is none', scenarioOf([{ id: 'a', queue: 'q', user: 'u' }]), 'applications[0].queue'],
    [
      'a budget that it does not have',
      {
        ...scenarioOf([
          { id: 'a', queue: 'root.q', user: 'u', running: [{ ...task(1), budgets: ['web', 'db'] }] },
        ]),
        budgets: [{ id: 'web', allowed: 1 }],
      },
      'applications[0].running[0].budgets[1]',
      /^there is no budget db in the scenario; list it/,
    ],
    ['no user', scenarioOf([{ id: 'a', queue: 'root.q' }]), 'applications[0].user'],
    [
      'a count below one',
      scenarioOf([{ id: 'a', queue: 'root.q', user: 'u', pending: [task(0)] }]),
      'applications[0].pending[0].count',
    ],
  ])('refuses %s, and leaves everything as it was', async (_, input, path, message = /./) => {
    const before = await work();
    const error: unknown = await placeScenario(db, partition, input).catch((refusal: unknown) => refusal);
    expect(error instanceof RefusedInput ? error.errors : [error]).toEqual([
      expect.objectContaining({ path, message: expect.stringMatching(message) }),
    ]);
    expect(await work()).toEqual(before);
  });

  it('loads tasks that are protected, unwilling, refuse, or leave in their own time', async () => {
    let now = Date.parse('2026-11-21T10:00:00Z');
    const ours = new SimulatedCluster(db, () => new Date(now));
    const running = [
      { ...task(1), priority: 7, allowPreemption: false },
      { ...task(1), protected: true },
      { ...task(1), refuses: 1, refusalReason: 'Its budget is used up' },
      { ...task(1), leavesAfterSeconds: { from: 20, to: 60 }, refuses: 'always' },
      { ...task(20), resources: { memory: '1M' }, leavesAfterSeconds: { from: 20, to: 60 } },
    ];
    const input = {
      ...scenarioOf([{ id: 'a', queue: 'root.q', user: 'ada', running }]),
      nodes: [{ id: 'n1', capacity: { memory: '8G' } }],
    };
    const timesOf = async (seed: number) => {
      await placeScenario(db, partition, { ...input, seed }, new Date(now));
      const rows = await db.query<{ s: number }[]>(
        `SELECT (behavior ->> 'leavesAfterSeconds')::float8 AS s FROM simulated_allocations WHERE behavior ? 'leavesAfterSeconds' ORDER BY id`,
      );
      return rows.map(({ s }) => s);
    };
    const times = await timesOf(3);
    expect(times).toHaveLength(21);
    expect(times.every((seconds) => seconds >= 20 && seconds <= 60)).toBe(true);
    expect(await timesOf(4)).not.toEqual(times);
    expect(await timesOf(3)).toEqual(times);

    const { allocations } = await ours.snapshot({ partition });
    const of = (id: string) => allocations.find((allocation) => allocation.id === id);
    expect(of('a-001')).toMatchObject({ priority: 7, allowPreemption: false });
    expect(of('a-002')).toMatchObject({ allowPreemption: true, protected: true });
    expect(of('a-003')).not.toHaveProperty('priority');

    const evict = (allocation: string) =>
      ours.evict(
        { partition, allocation, evictionId: randomUUID(), graceSeconds: 5 } as EvictionRequest,
        async () => new Map(),
      );
    expect(await evict('a-003')).toMatchObject({
      kind: 'refused',
      retryable: true,
      message: 'Its budget is used up (1 of 1 refusals).',
    });
    expect(await evict('a-003')).toMatchObject({ kind: 'accepted' });
    expect(await evict('a-004')).toMatchObject({ kind: 'refused', retryable: false });
    expect(await evict('a-005')).toMatchObject({ kind: 'accepted' });
    const isThere = async (id: string) => (await ours.allocation(partition, id)) !== undefined;
    now += 6000;
    expect([await isThere('a-003'), await isThere('a-004'), await isThere('a-005')]).toEqual([
      false,
      true,
      true,
    ]);
    now += 55_000;
    expect([await isThere('a-004'), await isThere('a-005')]).toEqual([true, false]);
  });

  it('loads gangs, disruption budgets and checkpoints', async () => {
    const now = new Date('2026-11-21T10:00:00Z');
    const running = [{ ...task(1), budgets: ['web'], checkpointedMinutesAgo: 10 }, task(1)];
    const applications = [{ id: 'a', queue: 'root.q', user: 'ada', running, gang: { minMembers: 2 } }];
    const budgets = [
      { id: 'web', allowed: 1 },
      { id: 'unused', allowed: 5 },
    ];
    const of = (budgets: object[]) => ({ ...scenarioOf(applications), budgets, replace: true });
    await placeScenario(db, partition, of(budgets), now);
    const snapshot = await new SimulatedCluster(db, () => now).snapshot({ partition });
    expect(snapshot.applications[0]?.gang).toEqual({ minMembers: 2 });
    expect(snapshot.budgets).toEqual([{ id: 'web', allowed: 1 }]);
    expect(snapshot.allocations[0]).toMatchObject({
      budgets: ['web'],
      checkpointedAt: '2026-11-21T09:50:00.000Z',
    });
    expect(snapshot.allocations[1]).not.toHaveProperty('checkpointedAt');
    await placeScenario(db, partition, { nodes: [], applications: [], replace: true }, now);
    expect(await db.query('SELECT FROM simulated_budgets')).toEqual([]);
  });

  it('keeps off work that it may not take away', async () => {
    await placeScenario(db, partition, scenarioOf([{ id: 'a', queue: 'root.q', user: 'u' }]));
    await expect(placeScenario(db, partition, { nodes: [], applications: [] })).rejects.toThrow('replace');
  });
});
