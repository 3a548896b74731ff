import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { inversion, lastRound, moreRounds, watch } from '../support/inversion.js';
import { query } from '../support/query.js';
import { TestPartition } from '../support/test-partition.js';

/** Systems that share a database are processes that share the work: none of them knows of another. */
describe('rounds that several processes begin, plan and carry out', () => {
  let database: TestDatabase;
  let first: EmbeddedSystem;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    first = await EmbeddedSystem.start({ approveAboveVictims: 2 }, database);
  });
  afterAll(async () => {
    await first?.stop();
    await database?.drop();
  });

  it('continue after a restart between the notification and the kill, and notify no owner twice', async () => {
    const partition = new TestPartition(first, 'restart');
    await inversion(partition, { settings: { maxWaitBeforeKill: 6000 } });
    await partition.event('VictimNotified', 'root', 2);
    await first.stop();
    const ordered =
      "SELECT FROM events WHERE partition = 'restart' AND type = 'io.curtail.victim.ordered.v1'";
    expect(await query(database.url, ordered)).toEqual([]);

    first = await EmbeddedSystem.start({ approveAboveVictims: 2 }, database);
    const again = new TestPartition(first, 'restart');
    await again.event('VictimEvicted', 'root', 2);
    const notified = await again.events('VictimNotified');
    expect(notified).toHaveLength(2);
    for (const { data } of await again.events('VictimOrdered')) {
      const before = notified.find((event) => event.data.allocation === data.allocation);
      expect(Date.parse(data.orderedAt)).toBeGreaterThanOrEqual(Date.parse(before?.data.killAt ?? ''));
    }
    await watch(again, undefined);
  });

  it('ask before many kills, and kill by a round that comes after the approval', async () => {
    const partition = new TestPartition(first, 'approval');
    await inversion(partition, { waits: 3 });
    const waiting = await first.until('a run that waits for approval', async () => {
      const { items } = await first.get<{ items: { enforcement: string; state: string }[] }>(
        '/v1/enforcements?partition=approval',
      );
      return items.find(({ state }) => state === 'waiting for approval');
    });
    expect(await partition.events('VictimOrdered')).toEqual([]);
    const { status } = await first.request('POST', `/v1/enforcements/${waiting.enforcement}/approve`, {
      by: 'ada',
    });
    expect(status).toBe(200);
    const kill = await partition.event('VictimEvicted', 'root', 3);
    expect(kill.data.enforcement).not.toBe(waiting.enforcement);
    await watch(partition, undefined);
  });

  it('are one at a time, and no one is killed twice', async () => {
    const second = await EmbeddedSystem.start({ approveAboveVictims: 2 }, database);
    try {
      const partition = new TestPartition(first, 'two');
      await inversion(partition, {
        waits: 6,
        settings: { totalPreemptionPerRound: 0.2, monitoringInterval: 40, maxWaitBeforeKill: 100 },
      });
      await partition.event('VictimEvicted', 'root', 6);
      await moreRounds(first, partition.name, 5);
      await watch(partition, undefined);

      let open: string | undefined;
      const numbers: number[] = [];
      const log = [
        ...(await partition.events('RoundStarted')),
        ...(await partition.events('EnforcementEnded')),
      ];
      for (const { data } of log.sort((a, b) => (a.position < b.position ? -1 : 1))) {
        if ('round' in data) {
          expect(open).toBeUndefined();
          open = data.enforcement;
          numbers.push(data.round);
        } else {
          expect(data.enforcement).toBe(open);
          open = undefined;
        }
      }
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      const evictions = await first.db.query<{ allocation: string }[]>(
        "SELECT allocation FROM simulated_evictions WHERE partition = 'two' ORDER BY 1",
      );
      expect(evictions.map(({ allocation }) => allocation)).toEqual(
        [4, 5, 6, 7, 8, 9].map((nr) => `old-${nr}`),
      );
    } finally {
      await second.stop();
    }
  });

  it('begin a round with every tick of a timer, or count it as skipped', async () => {
    const second = await EmbeddedSystem.start({}, database);
    try {
      const partition = new TestPartition(first, 'ticks');
      await watch(partition, { monitoringInterval: 20 });
      await moreRounds(first, partition.name, 25);
      const [row] = await first.db.query<{ generation: number; ticks: number }[]>(
        `SELECT t.generation, (r.round + r.skipped)::int AS ticks FROM timers t
         JOIN rounds r ON r.policy = t.kind AND r.partition = t.partition WHERE t.partition = 'ticks'`,
      );
      // The first generation was set with the configuration.
      expect(row?.ticks).toBe((row?.generation ?? 0) - 1);
      await watch(partition, undefined);
      expect((await lastRound(first, 'ticks'))?.round).toBeGreaterThanOrEqual(25);
    } finally {
      await second.stop();
    }
  });
});
