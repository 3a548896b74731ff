import { place } from '@curtail/clusters';
import { openDatabase } from '@curtail/event-store';
import { expect, it } from '@jest/globals';
import { until } from '../faults/until.js';
import { assertBuilt } from '../support/curtail-process.js';
import { createMigratedDatabase } from '../support/database.js';
import { configuration } from '../support/queue-spec.js';
import { onOwnKafkaAndRedis, ServiceGroup } from '../support/service-group.js';

it.each([
  ['one PostgreSQL', () => ({})],
  ['Kafka, Redis and PostgreSQL', onOwnKafkaAndRedis],
])('five processes on %s do what one does: a lowered quota becomes evictions', async (_servers, shape) => {
  await assertBuilt();
  const database = await createMigratedDatabase();
  const db = await openDatabase(database.url);
  const services = await ServiceGroup.start({
    ...shape(),
    DATABASE_URL: database.url,
    CURTAIL_GRACE_SECONDS: '0',
    // Only a wake-up is in time.
    CURTAIL_SWEEP_MILLISECONDS: '60000',
  });
  const { url } = services.of('console');
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
    const applied = await fetch(`${url}/v1/partitions/default/config`, {
      method: 'PUT',
      body: JSON.stringify(configuration('default', { a: { max: { memory: 60 }, delay: '200ms' } })),
      headers: { 'Content-Type': 'application/json' },
    });
    expect([applied.status, await applied.json()]).toEqual([200, expect.objectContaining({ version: 2 })]);
    await until(
      async () => database.url,
      "SELECT count(*) = 1 FROM read_enforcements WHERE state = 'ended' AND outcome IS NOT NULL",
      { withinMs: 15_000, otherwise: () => 'the run has not ended' },
    );
    const { items } = (await (await fetch(`${url}/v1/enforcements`)).json()) as { items: object[] };
    expect(items).toEqual([
      expect.objectContaining({ queue: 'root.a', outcome: 'satisfied', evicted: 2, victims: 2 }),
    ]);
    const evicted = await db.query('SELECT allocation FROM simulated_evictions ORDER BY id');
    expect(evicted).toEqual([{ allocation: 'app-5' }, { allocation: 'app-4' }]);
    for (const service of services.services) {
      expect([service.app, (await fetch(`${service.url}/readyz`)).status]).toEqual([service.app, 200]);
    }
  } finally {
    expect(await services.stop()).toEqual([0, 0, 0, 0, 0]);
    await db.destroy();
    await database.drop();
  }
});
