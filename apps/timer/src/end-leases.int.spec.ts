import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SimulatedCluster } from '#clusters';
import { machineClock } from '../../../test/support/machine-clock.js';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { beginRuns, placeQueues } from '../../../test/support/running-clocks.js';
import { silentWakeUpQueue } from '../testing/silent-wake-up-queue.js';
import { timerSettings } from '../testing/timer-settings.js';
import { EndLeases } from './end-leases.js';
import { WakeUps } from './wake-ups/wake-ups.js';

const settings = timerSettings();
const many = 600;

describe('expired leases', () => {
  let db: DataSource;
  let cluster: SimulatedCluster;
  let wakeUps: WakeUps;
  withMigratedDatabase(async (opened) => {
    db = opened;
    cluster = new SimulatedCluster(db);
    wakeUps = new WakeUps(silentWakeUpQueue, machineClock);
    await placeQueues(db, 'a', 1);
    await placeQueues(db, 'b', many);
  });
  beforeEach(async () => {
    for (const table of ['events', 'clocks', 'timers']) await db.query(`DELETE FROM ${table}`);
    await beginRuns({ db, cluster, wakeUps, settings }, 'a', 1);
    await beginRuns({ db, cluster, wakeUps, settings }, 'b', many);
    await db.query("UPDATE clocks SET lease_until = now() - interval '1 hour'");
  });

  const running = async () => {
    const rows = await db.query<{ partition: string; count: number }[]>(
      `SELECT partition, count(*)::int AS count FROM clocks WHERE running_enforcement IS NOT NULL
       GROUP BY 1 ORDER BY 1`,
    );
    return Object.fromEntries(rows.map(({ partition, count }) => [partition, count]));
  };
  async function sweep(): Promise<void> {
    const endLeases = new EndLeases(db, cluster, { ...settings, leaseMs: 0 }, wakeUps);
    for (const partition of await endLeases.partitions()) await endLeases.sweep(partition);
  }

  it('are given up in one sweep, many in a transaction, and their queues get other clocks', async () => {
    expect(await running()).toEqual({ a: 1, b: many });
    const transactions = jest.spyOn(db, 'transaction');
    const usage = jest.spyOn(cluster, 'usage');
    await sweep();
    expect(transactions.mock.calls.length).toBe(1 + Math.ceil(many / 250));
    expect(usage.mock.calls.length).toBe(transactions.mock.calls.length);
    transactions.mockRestore();
    usage.mockRestore();
    expect(await running()).toEqual({});
    const released = await db.query(
      `SELECT data ->> 'cause' AS cause, count(*)::int AS count FROM events WHERE type LIKE '%released%' GROUP BY 1`,
    );
    expect(released).toEqual([{ cause: 'lease-ended', count: many + 1 }]);
    expect(await db.query("SELECT count(*)::int AS count FROM timers WHERE state = 'pending'")).toEqual([
      { count: many + 1 },
    ]);
  });

  it('make the next steps of their runs due, and of no others', async () => {
    await db.query(`UPDATE clocks SET lease_until = now() + interval '1 hour' WHERE queue = 'root.q1'`);
    await db.query('DELETE FROM runs');
    await db.query(
      `INSERT INTO runs (enforcement, partition, queue, fencing_token, next_step_at)
       SELECT running_enforcement, partition, queue, fencing_token, now() + interval '1 hour' FROM clocks
       WHERE partition = 'b' AND queue IN ('root.q0', 'root.q1')`,
    );
    await sweep();
    const waiting = 'SELECT queue, next_step_at <= now() AS due FROM runs ORDER BY queue';
    expect(await db.query(waiting)).toEqual([
      { queue: 'root.q0', due: true },
      { queue: 'root.q1', due: false },
    ]);
  });

  it('are given up even if one of them cannot be', async () => {
    await db.query("UPDATE clocks SET version = version + 5 WHERE partition = 'b' AND queue = 'root.q7'");
    await expect(sweep()).rejects.toThrow();
    expect(await running()).toEqual({ b: 1 });
  });

  it('stay where they were renewed, or their runs have ended', async () => {
    await db.query(`UPDATE clocks SET lease_until = now() + interval '1 hour' WHERE queue = 'root.q0'`);
    await db.query(
      `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
       SELECT 'execution-' || running_enforcement, 1, gen_random_uuid(), 'io.curtail.enforcement.ended.v1', '', partition, queue, now(), '{}'
       FROM clocks WHERE queue = 'root.q1'`,
    );
    await sweep();
    expect(await running()).toEqual({ a: 1, b: 2 });
  });
});
