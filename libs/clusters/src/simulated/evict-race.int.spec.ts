import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { openGate } from '../../../../test/support/open-gate.js';
import { createSimulatedDatabase } from '../../../../test/support/simulated.js';
import { place } from './place.js';
import { SimulatedCluster } from './simulated-cluster.js';

describe('evictions of one allocation at the same time', () => {
  let dataSource: DataSource;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ dataSource, close } = await createSimulatedDatabase());
  });
  afterAll(() => close?.());

  it('are one kill, however they interleave', async () => {
    const [application, queue, startedAt] = ['app', 'root.a', '2026-11-21T09:00:00Z'];
    await place(dataSource, 'default', {
      applications: [{ id: application, queue }],
      allocations: [{ id: 'a1', application, queue, resources: { memory: 1 }, startedAt }],
    });
    const holder = dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query("SELECT 1 FROM simulated_allocations WHERE id = 'a1' FOR UPDATE");
    // Each by a process of its own: one alone would ask for both with one statement.
    const answers = ['first', 'second'].map((evictionId) =>
      new SimulatedCluster(dataSource).evict(eviction('a1', evictionId), openGate),
    );
    while ((await waitingForLocks()) < 2) await sleep(5);
    await holder.commitTransaction();
    await holder.release();
    expect(await Promise.all(answers)).toEqual(
      expect.arrayContaining([
        { kind: 'accepted', repeated: false },
        { kind: 'accepted', repeated: true },
      ]),
    );
    const kills = await dataSource.query('SELECT allocation, queue, resources FROM simulated_evictions');
    expect(kills).toEqual([{ allocation: 'a1', queue, resources: { memory: 1 } }]);
  });

  it('are one kill, asked for with one statement', async () => {
    const cluster = new SimulatedCluster(dataSource);
    const [application, queue, startedAt] = ['app', 'root.a', '2026-11-21T09:00:00Z'];
    await place(dataSource, 'default', {
      applications: [{ id: application, queue }],
      allocations: ['b0', 'b1', 'b2'].map((id) => ({
        id,
        application,
        queue,
        resources: { memory: 1 },
        startedAt,
      })),
    });
    // All but the first gather while that one is under way.
    const answers = await Promise.all([
      cluster.evict(eviction('b0', 'b-1'), openGate),
      cluster.evict(eviction('b1', 'b-2'), openGate),
      cluster.evict(eviction('b1', 'b-3'), openGate),
      cluster.evict({ ...eviction('b2', 'b-4'), uid: '00000000-0000-4000-8000-000000000000' }, openGate),
      cluster.evict(eviction('b3', 'b-5'), openGate),
    ]);
    const [first, once, again, other, gone] = answers;
    expect([first, other, gone].map((answer) => answer?.kind)).toEqual([
      'accepted',
      'other-incarnation',
      'gone',
    ]);
    expect([once, again]).toEqual(
      expect.arrayContaining([
        { kind: 'accepted', repeated: false },
        { kind: 'accepted', repeated: true },
      ]),
    );
    const kills = await dataSource.query(
      "SELECT allocation FROM simulated_evictions WHERE starts_with(eviction_id, 'b-') ORDER BY 1",
    );
    expect(kills).toEqual([{ allocation: 'b0' }, { allocation: 'b1' }]);
  });

  it('are lost, each of them, when the commit of several is not confirmed, and known to be carried out', async () => {
    const [application, queue, startedAt] = ['app', 'root.a', '2026-11-21T09:00:00Z'];
    await place(dataSource, 'default', {
      applications: [{ id: application, queue }],
      allocations: ['c1', 'c2'].map((id) => ({
        id,
        application,
        queue,
        resources: { memory: 1 },
        startedAt,
      })),
    });
    const cluster = new SimulatedCluster(dataSource);
    const real = dataSource.transaction.bind(dataSource) as (...words: unknown[]) => Promise<unknown>;
    jest.spyOn(dataSource, 'transaction').mockImplementationOnce((async (...words: unknown[]) => {
      await real(...words);
      throw new Error('the connection was lost');
    }) as never);
    const answers = await Promise.allSettled(
      ['c1', 'c2'].map((id) => cluster.evict(eviction(id, `${id}-kill`), openGate)),
    );
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await Promise.all(['c1', 'c2'].map((id) => cluster.carriedOut(`${id}-kill`)))).toEqual([
      true,
      true,
    ]);
  });

  const eviction = (allocation: string, evictionId: string) => ({
    partition: 'default',
    allocation,
    graceSeconds: 60,
    evictionId,
    fencingToken: 1,
    reason: 'test',
  });

  async function waitingForLocks(): Promise<number> {
    const [row] = await dataSource.query<{ waiting: number }[]>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row?.waiting ?? 0;
  }
});
