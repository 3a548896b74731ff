import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SimulatedCluster } from '#clusters';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { writeDepartures } from './intra-queue-tables.js';
import { takeInQueueInput } from './take-snapshot.js';

let db: DataSource;
withMigratedDatabase(async (opened) => {
  db = opened;
  await db.query(
    `INSERT INTO partitions (partition, digest, format, version, quota_preemption_enabled, applied_at, body)
     VALUES ('p', '', 'yunikorn', 1, false, now(), '')`,
  );
  await db.query(
    `INSERT INTO queues (partition, path, delay_ms, parent, max)
     VALUES ('p', 'root', 0, true, NULL), ('p', 'root.a', 0, false, '{"memory": 10}')`,
  );
  await db.query(
    `INSERT INTO simulated_nodes (partition, id, capacity) VALUES ('p', 'n1', '{"memory": 10}')`,
  );
});

it('finds the room of what left between two rounds, for as long as it counts', async () => {
  let now = new Date();
  const cluster = new SimulatedCluster(db, () => now);
  const after = (seconds: number) => {
    now = new Date(now.getTime() + seconds * 1000);
  };
  const { allocations, applications } = {
    applications: [{ id: 'app', queue: 'root.a' }],
    allocations: ['x1', 'x2', 'x3'].map((id) => ({ id, application: 'app', queue: 'root.a' })),
  };
  for (const { id, queue } of applications)
    await db.query(
      `INSERT INTO simulated_applications (partition, id, queue, priority, pending) VALUES ('p', $1, $2, 0, '[]')`,
      [id, queue],
    );
  for (const { id, application, queue } of allocations)
    await db.query(
      `INSERT INTO simulated_allocations (partition, id, uid, application, queue, node, resources, role, started_at, state)
       VALUES ('p', $1, gen_random_uuid(), $2, $3, 'n1', '{"memory": 3}', 'task', now(), 'running')`,
      [id, application, queue],
    );
  const round = async () => {
    const { snapshot, departures } = await takeInQueueInput(
      db,
      cluster,
      { partition: 'p', mostAllocations: 100 },
      1000,
    );
    await db.transaction((tx) => writeDepartures(tx, 'p', departures.before, departures.after));
    return snapshot.queues.find(({ path }) => path === 'root.a')?.properties?.freedRoom;
  };
  expect(await round()).toBeUndefined();

  // One is leaving for longer than a round; one is evicted, and its run over, between two rounds.
  await db.query(`UPDATE simulated_allocations SET state = 'releasing', gone_at = $1 WHERE id = 'x1'`, [
    new Date(now.getTime() + 20_000),
  ]);
  expect(await round()).toBeUndefined();
  after(21);
  expect(await round()).toEqual({ memory: 3 });
  after(1);
  await db.query(`DELETE FROM simulated_allocations WHERE id = 'x2'`);
  await db.query(
    `INSERT INTO recent_victims (enforcement, allocation, partition, application, queue, evicted_at, resources)
     VALUES ('e', 'x2', 'p', 'app', 'root.a', $1, '{"memory": 3}')`,
    [now],
  );
  expect(await round()).toEqual({ memory: 6 });
  after(4.5);
  expect(await round()).toEqual({ memory: 3 });
  after(1);
  expect(await round()).toBeUndefined();
  expect(await db.query('SELECT allocations FROM departures')).toEqual([{ allocations: [] }]);
});
