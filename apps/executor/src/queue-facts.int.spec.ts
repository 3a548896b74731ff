import { SimulatedCluster } from '@curtail/clusters';
import { openDatabase } from '@curtail/event-store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { place } from '../../../libs/clusters/src/simulated/place.js';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { FindQueueFacts } from './queue-facts.js';

const partition = 'p';
const run = { partition, queue: 'root.a', enforcement: 'e-1', fencingToken: 1 };

describe('what a queue uses at the end of its run', () => {
  let test: TestDatabase;
  let db: DataSource;
  let cluster: SimulatedCluster;
  beforeAll(async () => {
    test = await createMigratedDatabase();
    db = await openDatabase(test.url);
    cluster = new SimulatedCluster(db);
    await place(db, partition, {
      applications: [
        { id: 'in', queue: 'root.a.b' },
        { id: 'out', queue: 'root.ab' },
      ],
      allocations: ['in', 'out'].flatMap((application) =>
        [1, 2, 3].map((nr) => ({
          id: `${application}-${nr}`,
          application,
          queue: application === 'in' ? 'root.a.b' : 'root.ab',
          resources: { vcore: nr },
          startedAt: '2026-11-21T10:00:00.000Z',
        })),
      ),
    });
    await db.query(`UPDATE simulated_allocations SET state = 'releasing' WHERE id = 'in-3'`);
  });
  afterAll(async () => {
    await db?.destroy();
    await test?.drop();
  });
  beforeEach(() => db.query('DELETE FROM planned_victims'));

  const plans = async (enforcement: string, allocation: string, uid?: string) =>
    db.query(
      `INSERT INTO planned_victims (enforcement, partition, allocation, uid)
       SELECT $1, partition, id, coalesce($3, uid) FROM simulated_allocations WHERE id = $2`,
      [enforcement, allocation, uid],
    );
  const found = () => new FindQueueFacts(db, cluster).of(run);
  const used = { usage: { vcore: 6 }, inFlight: { vcore: 3 } };

  it('is told with what other runs are still to evict in it', async () => {
    for (const id of ['in-2', 'in-3', 'out-1']) await plans('e-2', id);
    expect(await found()).toEqual({ ...used, planned: [{ vcore: 2 }] });
  });

  it('is told without its own victims, and without other incarnations', async () => {
    await plans('e-1', 'in-1');
    await plans('e-2', 'in-2', '00000000-0000-4000-8000-000000000000');
    expect(await found()).toEqual({ ...used, planned: [] });
  });

  it('is not known while the cluster does not answer', async () => {
    const away = Object.assign(Object.create(cluster) as SimulatedCluster, {
      usage: () => Promise.reject(new Error('no route')),
    });
    expect(await new FindQueueFacts(db, away).of(run)).toEqual({ unreachable: 'no route' });
  });
});
