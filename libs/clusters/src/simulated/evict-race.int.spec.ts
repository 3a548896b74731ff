import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
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
    const cluster = new SimulatedCluster(dataSource);
    const [application, queue, startedAt] = ['app', 'root.a', '2026-11-21T09:00:00Z'];
    await place(dataSource, 'default', {
      applications: [{ id: application, queue }],
      allocations: [{ id: 'a1', application, queue, resources: { memory: 1 }, startedAt }],
    });
    const holder = dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query("SELECT 1 FROM simulated_allocations WHERE id = 'a1' FOR UPDATE");
    const answers = ['first', 'second'].map((evictionId) =>
      cluster.evict({ partition: 'default', allocation: 'a1', graceSeconds: 60, evictionId, reason: 'test' }),
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

  async function waitingForLocks(): Promise<number> {
    const [row] = await dataSource.query<{ waiting: number }[]>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row?.waiting ?? 0;
  }
});
