import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import {
  type AheadOfPlan,
  loadSimulated,
  SimulatedCluster,
  type SnapshotScope,
  takePlanningSnapshot,
} from '#clusters';
import { clockKind, clockTrigger } from '#contracts';
import { plan, readSnapshot } from '#planning';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { indexedAhead, ReadAhead } from './read-ahead.js';

/** Notes what it reads. */
class NotingCluster extends SimulatedCluster {
  readonly scopes: SnapshotScope[] = [];
  readonly distances: AheadOfPlan[] = [];

  override readAhead(scope: SnapshotScope, ahead: AheadOfPlan) {
    this.scopes.push(scope);
    this.distances.push(ahead);
    return super.readAhead(scope, ahead);
  }
}

describe('reading ahead', () => {
  let db: DataSource;
  let cluster: NotingCluster;
  let ahead: ReadAhead;

  withMigratedDatabase(async (opened) => {
    db = opened;
    await db.query(
      `INSERT INTO queues (partition, path, max, guaranteed, delay_ms, parent)
       VALUES ('p', 'root', NULL, NULL, 0, true), ('p', 'root.a', NULL, '{"memory":100}', 0, true),
              ('p', 'root.a.b', '{"memory":100}', NULL, 0, false), ('p', 'root.c', '{"memory":100}', NULL, 0, false)`,
    );
  });
  beforeEach(async () => {
    // What is read is wanted, however long it takes to read it.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    await db.query('DELETE FROM timers');
    cluster = new NotingCluster(db);
    ahead = aheadWith({ mostAllocations: 10 });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const aheadWith = (limits: { mostAllocations: number }) =>
    new ReadAhead(db, cluster, {
      policy: {},
      snapshotRetentionDays: 1,
      mode: undefined,
      defaultMode: 'enforce',
      leaseMs: 1000,
      mostVictims: 10,
      ...limits,
    });

  const clock = (queue: string, seconds: number, state = 'pending') =>
    db.query(
      `INSERT INTO timers (kind, partition, name, generation, due_at, state)
       VALUES ($1, 'p', $2, 1, now() + make_interval(secs => $3), $4)`,
      [clockKind, queue, seconds, state],
    );

  it('reads what the plans of clocks that are due soon will see, once for each', async () => {
    await clock('root.a.b', 3.5);
    await clock('root.c', 3600);
    await clock('root.d', 3, 'waiting');
    await ahead.readAll();
    // Up to the topmost guaranteed amount, as the plan does.
    expect(cluster.scopes).toEqual([{ partition: 'p', queue: 'root.a', most: 10 }]);
    await ahead.readAll();
    expect(cluster.scopes).toHaveLength(1);
  });

  it('looks for very large queues and their changes earlier, once for each', async () => {
    const read = async () => (await ahead.readAll()).ofVeryLarge;
    await clock('root.a.b', 30);
    await clock('root.c', 3600);
    await read();
    await read();
    expect(cluster.distances).toEqual(['long']);
    await db.query(`UPDATE timers SET due_at = now() + interval '8 s' WHERE name = 'root.a.b'`);
    await read();
    expect(cluster.distances).toEqual(['long', 'again']);
  });

  it('indexes a large queue for its plan, which sees the changes since then', async () => {
    await loadSimulated(db, 'p', { under: 'root.c', queues: 3, allocations: 20_010, daemonsPercent: 0 });
    const mostAllocations = 100_000;
    const read = (of = cluster) =>
      takePlanningSnapshot(db, of, { partition: 'p', queue: 'root.c', mostAllocations });
    const scope = { partition: 'p', queue: 'root.c' };
    expect(await cluster.readAhead(scope, 'long')).toBeUndefined();
    await clock('root.c', 3.5);
    await aheadWith({ mostAllocations }).readAll();
    expect(await cluster.readAhead(scope, 'again')).toBeUndefined();
    await db.query(
      'UPDATE simulated_applications SET priority = 9 WHERE id = (SELECT max(id) FROM simulated_applications)',
    );
    await db.query(
      `DELETE FROM simulated_allocations WHERE id IN (SELECT id FROM simulated_allocations ORDER BY id OFFSET 1 LIMIT 5)`,
    );
    await db.query(
      `UPDATE simulated_allocations SET priority = 7, resources = '{"memory":1,"new":2}'
       WHERE id IN (SELECT id FROM simulated_allocations ORDER BY id DESC LIMIT 5)`,
    );
    const snapshot = await read();
    const before = indexedAhead(snapshot);
    expect(before).toBeDefined();
    const trigger = clockTrigger('root.c');
    const fresh = plan(readSnapshot(await read(new NotingCluster(db))), trigger);
    expect(fresh.victims).toHaveLength(20_000);
    expect(plan(readSnapshot(snapshot, before), trigger)).toEqual(fresh);
  });

  it('reads nothing before a burst, whose plans share what the first of them reads', async () => {
    for (let i = 0; i < 9; i++) await clock(`root.q${i}`, 3);
    await ahead.readAll();
    expect(cluster.scopes).toEqual([]);
  });
});
