import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SimulatedCluster } from '#clusters';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { KnownPlaces } from './known-places.js';

let db: DataSource;
withMigratedDatabase(async (opened) => {
  db = opened;
});

const stop = { command: 'stop', done: 'stopped' } as const;

it('takes a queue as existing while the cluster does not answer, and refuses it once the cluster has no work of it', async () => {
  const places = new KnownPlaces(db, new SimulatedCluster(db));
  const place = { partition: 'default', queue: 'root.grown', allowUnknown: false };
  await db.transaction(async (other) => {
    await other.query('LOCK TABLE simulated_allocations, simulated_usage IN ACCESS EXCLUSIVE MODE');
    await expect(places.check(place, stop)).resolves.toBe(false);
  });
  await expect(places.check(place, stop)).rejects.toMatchObject({
    code: 'unknown-queue',
    problem: { status: 404 },
  });
});
