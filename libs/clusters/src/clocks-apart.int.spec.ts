import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { openGate } from '../../../test/support/open-gate.js';
import { ReportingPlatform } from '../../../test/support/reporting-platform.js';
import { AnswerWakeUps } from './inventory/answer-wake-ups.js';
import { EvictionAnswers } from './inventory/eviction-answers.js';
import { EvictionRequests } from './inventory/eviction-requests.js';
import { InventoryCluster } from './inventory/inventory-cluster.js';
import { InventoryReports } from './inventory/inventory-reports.js';
import { place } from './simulated/place.js';
import { SimulatedCluster } from './simulated/simulated-cluster.js';

const aDayMs = 86_400_000;

describe.each([
  ['a day ahead', aDayMs],
  ['a day behind', -aDayMs],
])('a process whose clock is %s', (_, offMs) => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(() => {
    jest.useFakeTimers({
      now: Date.now() + offMs,
      doNotFake: [
        'setTimeout',
        'clearTimeout',
        'setInterval',
        'clearInterval',
        'setImmediate',
        'clearImmediate',
        'nextTick',
        'queueMicrotask',
        'performance',
        'hrtime',
      ],
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const time = async () => {
    const [row] = await db.query<[{ now: Date }]>(
      "SELECT date_trunc('milliseconds', clock_timestamp()) AS now",
    );
    return row.now.getTime();
  };
  async function expectOfNow(snapshot: () => Promise<{ takenAt: string }>): Promise<void> {
    const from = await time();
    const takenAt = Date.parse((await snapshot()).takenAt);
    expect(takenAt).toBeGreaterThanOrEqual(from);
    expect(takenAt).toBeLessThanOrEqual(await time());
  }

  it('reads the simulated cluster, and kills there, by the time of the database', async () => {
    const cluster = new SimulatedCluster(db);
    await place(db, 'p', {
      applications: [{ id: 'app', queue: 'root.a' }],
      allocations: ['a1', 'a2'].map((id) => ({
        id,
        application: 'app',
        queue: 'root.a',
        resources: { memory: 1 },
        startedAt: '2026-11-21T09:00:00Z',
      })),
    });
    await expectOfNow(() => cluster.snapshot({ partition: 'p' }));
    const evict = (allocation: string, graceSeconds: number) =>
      cluster.evict(
        { partition: 'p', allocation, graceSeconds, evictionId: allocation, fencingToken: 1, reason: 'test' },
        openGate,
      );
    await evict('a1', 0);
    await evict('a2', 600);
    const [row] = await db.query<[{ left: number }]>(
      "SELECT date_part('epoch', gone_at - clock_timestamp()) AS left FROM simulated_allocations WHERE id = 'a2'",
    );
    expect(row.left).toBeGreaterThan(0);
    expect(row.left).toBeLessThanOrEqual(600);
    expect(await cluster.reap()).toBe(1);
    const { allocations } = await cluster.snapshot({ partition: 'p' });
    expect(allocations).toMatchObject([{ id: 'a2', state: 'releasing' }]);
  });

  it('records the reports of a scheduler, and reads them, by the time of the database', async () => {
    const wakeUps = new AnswerWakeUps();
    const cluster = new InventoryCluster(db, new EvictionRequests(db, wakeUps, { answerSeconds: 1 }), {
      staleSeconds: 60,
    });
    const platform = new ReportingPlatform(db, 'p', new EvictionAnswers(db, wakeUps), new InventoryReports());
    platform.now = new Date((await time()) + 2 * aDayMs);
    const from = await time();
    await platform.list({ nodes: [], applications: [], allocations: [] });
    const recordedAt = await time();
    const takenAt = Date.parse((await cluster.snapshot({ partition: 'p' })).takenAt);
    expect(takenAt).toBeGreaterThanOrEqual(from);
    expect(takenAt).toBeLessThanOrEqual(recordedAt);
  });
});
