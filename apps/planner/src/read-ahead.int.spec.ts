import { SimulatedCluster, type SnapshotScope } from '@curtail/clusters';
import { clockKind } from '@curtail/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { ReadAhead } from './read-ahead.js';

/** Notes what it reads. */
class NotingCluster extends SimulatedCluster {
  readonly scopes: SnapshotScope[] = [];

  override readAhead(scope: SnapshotScope) {
    this.scopes.push(scope);
    return super.readAhead(scope);
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
    await db.query('DELETE FROM timers');
    cluster = new NotingCluster(db);
    ahead = new ReadAhead(db, cluster, {
      policy: {},
      snapshotRetentionDays: 1,
      defaultMode: 'enforce',
      leaseMs: 1000,
      mostAllocations: 10,
      mostVictims: 10,
    });
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

  it('reads nothing before a burst, whose plans share what the first of them reads', async () => {
    for (let i = 0; i < 9; i++) await clock(`root.q${i}`, 3);
    await ahead.readAll();
    expect(cluster.scopes).toEqual([]);
  });
});
