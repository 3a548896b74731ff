import { place } from '@curtail/clusters';
import { openDatabase } from '@curtail/event-store';
import { expect, it } from '@jest/globals';
import { until } from '../faults/until.js';
import { assertBuilt } from '../support/curtail-process.js';
import { createMigratedDatabase } from '../support/database.js';
import { configuration } from '../support/queue-spec.js';
import { ServiceProcess } from '../support/service-process.js';

const apps = ['config-ingest', 'timer', 'planner', 'executor', 'console'] as const;

it('five processes on one database do what one does: a lowered quota becomes evictions', async () => {
  await assertBuilt();
  const database = await createMigratedDatabase();
  const db = await openDatabase(database.url);
  const environment = {
    DATABASE_URL: database.url,
    CURTAIL_GRACE_SECONDS: '0',
    CURTAIL_SWEEP_MILLISECONDS: '60000',
  };
  const services = await Promise.all(apps.map((app) => ServiceProcess.start(app, environment)));
  const [ingest, , , , console] = services;
  try {
    await place(db, 'default', {
      applications: [{ id: 'app', queue: 'root.a' }],
      allocations: [1, 2, 3, 4, 5].map((i) => ({
        id: `app-${i}`,
        application: 'app',
        queue: 'root.a',
        resources: { memory: 20 },
        startedAt: `2026-01-01T00:0${i}:00Z`,
      })),
    });
    const applied = await fetch(`${ingest?.url}/v1/partitions/default/config`, {
      method: 'PUT',
      body: JSON.stringify(configuration('default', { a: { max: { memory: 60 }, delay: '200ms' } })),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(applied.status).toBe(200);
    await until(
      async () => database.url,
      "SELECT count(*) = 1 FROM read_enforcements WHERE state = 'ended' AND outcome IS NOT NULL",
      { withinMs: 15_000, otherwise: () => 'the run has not ended' },
    );
    const { items } = (await (await fetch(`${console?.url}/v1/enforcements`)).json()) as { items: object[] };
    expect(items).toEqual([
      expect.objectContaining({ queue: 'root.a', outcome: 'satisfied', evicted: 2, victims: 2 }),
    ]);
    const evicted = await db.query('SELECT allocation FROM simulated_evictions ORDER BY id');
    expect(evicted).toEqual([{ allocation: 'app-5' }, { allocation: 'app-4' }]);
  } finally {
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0, 0, 0, 0]);
    await db.destroy();
    await database.drop();
  }
});
