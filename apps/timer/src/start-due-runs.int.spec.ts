import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { place, SimulatedCluster } from '#clusters';
import { clockKind, type EventData } from '#contracts';
import { catalog } from '#contracts/events';
import type { KnownEvent, Tx } from '#event-store';
import { clearTimers } from '#timers';
import { machineClock } from '../../../test/support/machine-clock.js';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { silentWakeUpQueue } from '../testing/silent-wake-up-queue.js';
import { timerSettings } from '../testing/timer-settings.js';
import { ClockEvents } from './clocks/clock-events.js';
import { ClockSession } from './clocks/clock-session.js';
import { KeepClocks } from './keep-clocks.js';
import { KeepRoundClocks } from './rounds/keep-round-clocks.js';
import { StartDueRuns } from './start-due-runs.js';
import { WakeUps } from './wake-ups/wake-ups.js';

const settings = timerSettings();
let version = 0;
const parent = 'root.p';
const leaf = 'root.p.one';

describe('a check of a queue below one that runs, at the moment when that run ends', () => {
  let db: DataSource;
  let clocks: KeepClocks;
  let checks: StartDueRuns;
  withMigratedDatabase(async (opened) => {
    db = opened;
    const cluster = new SimulatedCluster(db);
    const wakeUps = new WakeUps(silentWakeUpQueue, machineClock);
    const events = new ClockEvents(settings, cluster, db);
    clocks = new KeepClocks(events, wakeUps, db, new KeepRoundClocks(db, wakeUps, settings));
    checks = new StartDueRuns(db, cluster, settings, machineClock);
    const startedAt = new Date(0).toISOString();
    await place(db, 'p', {
      applications: [{ id: 'one', queue: leaf }],
      allocations: [{ id: 'one-1', application: 'one', queue: leaf, resources: { memory: 200 }, startedAt }],
    });
    await db.query(
      `INSERT INTO partitions (partition, digest, format, version, quota_preemption_enabled, applied_at, body)
       VALUES ('p', '', 'yunikorn', 1, true, now(), '')`,
    );
  });
  beforeEach(async () => {
    for (const table of ['events', 'clocks', 'timers']) await db.query(`DELETE FROM ${table}`);
    // The parent runs, and its leaf is due.
    await handle(lowered(parent));
    await checks.check('p');
    await handle(lowered(leaf));
  });

  const lowered = (queue: string, time = new Date(Date.now() - 60_000)): KnownEvent => {
    const data: EventData<'QuotaChanged'> = {
      partition: 'p',
      queue,
      previous: { max: { memory: 200 }, delayMs: 1000 },
      current: { max: { memory: 100 }, delayMs: 1000 },
    };
    return { time, name: 'QuotaChanged', version: ++version, data } as KnownEvent;
  };
  async function handle(event: KnownEvent): Promise<void> {
    const effects = await clocks.handle([event]);
    await db.transaction(async (tx) => {
      await effects?.(tx);
    });
  }
  async function endOfRun(): Promise<(tx: Tx) => Promise<unknown>> {
    const rows = await db.query<{ enforcement: string }[]>(
      'SELECT running_enforcement AS enforcement FROM clocks WHERE queue = $1',
      [parent],
    );
    const { enforcement } = rows[0]!;
    const data = { partition: 'p', queue: parent, enforcement, outcome: 'satisfied', shortfall: {} };
    return (await clocks.handle([{ time: new Date(), name: 'EnforcementEnded', data } as KnownEvent]))!;
  }
  async function untilSomebodyWaits(): Promise<void> {
    for (;;) {
      const rows = await db.query<unknown[]>(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      if (rows.length > 0) return;
    }
  }
  const timers = (): Promise<{ name: string; state: string }[]> =>
    db.query('SELECT name, state FROM timers ORDER BY name');
  const running = (): Promise<{ queue: string }[]> =>
    db.query('SELECT queue FROM clocks WHERE running_enforcement IS NOT NULL');

  it('waits for the event of the end, and starts the leaf', async () => {
    const end = await endOfRun();
    let checking: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await end(tx);
      checking = checks.check('p');
      await untilSomebodyWaits();
    });
    await checking;
    expect(await running()).toEqual([{ queue: leaf }]);
    expect(await timers()).toEqual([]);
  });

  it('lets the end find the leaf that it left waiting', async () => {
    const end = await endOfRun();
    let ending: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      const { session } = await ClockSession.withState(tx, 'p', [leaf], settings.leaseMs);
      expect([...(await session.stillRunning('p', [parent]))]).toEqual([parent]);
      session.wait('p', leaf);
      await session.save();
      ending = db.transaction(end);
      await untilSomebodyWaits();
    });
    await ending;
    expect(await timers()).toEqual([{ name: leaf, state: 'pending' }]);
  });

  it('does not restore a timer that was cleared meanwhile', async () => {
    await db.transaction(async (tx) => {
      const { session } = await ClockSession.withState(tx, 'p', [leaf], settings.leaseMs);
      await clearTimers(db.manager, [{ kind: clockKind, partition: 'p', name: leaf }]);
      session.wait('p', leaf);
      await session.save();
    });
    expect(await timers()).toEqual([]);
  });

  it('waits for timers read ahead of time, and starts nothing early', async () => {
    for (const table of ['events', 'clocks', 'timers']) await db.query(`DELETE FROM ${table}`);
    await handle(lowered(leaf, new Date(Date.now() - 800)));
    const [timer] = await db.query<{ by: Date }[]>('SELECT due_at AS by FROM timers');
    expect(timer!.by.getTime()).toBeGreaterThan(Date.now());
    expect((await checks.check('p')).latenessMs).toEqual([]);
    const { latenessMs } = await checks.check('p', timer);
    expect(latenessMs).toEqual([expect.any(Number)]);
    expect(latenessMs[0]).toBeGreaterThanOrEqual(0);
    const [started] = await db.query<{ at: string }[]>(
      "SELECT data ->> 'startedAt' AS at FROM events WHERE type = $1",
      [catalog.EnforcementStarted.type],
    );
    expect(Date.parse(started!.at)).toBeGreaterThanOrEqual(timer!.by.getTime());
  });

  it('leaves the work to another check under way when much is due', async () => {
    for (const table of ['events', 'clocks', 'timers']) await db.query(`DELETE FROM ${table}`);
    await db.query(
      `INSERT INTO timers (kind, partition, name, generation, due_at, state)
       SELECT $1, 'p', 'root.q' || n, 1, now() - interval '1 s', 'pending' FROM generate_series(1, 2000) n`,
      [clockKind],
    );
    expect(await checks.check('p', { isSecond: true })).toMatchObject({ left: true, latenessMs: [] });
    await db.query("DELETE FROM timers WHERE name = 'root.q1'");
    expect(await checks.check('p', { isSecond: true })).toMatchObject({ left: false });
  });

  it('reduces its transactions after one was too large', async () => {
    for (const table of ['events', 'clocks', 'timers']) await db.query(`DELETE FROM ${table}`);
    const queues = Array.from({ length: 150 }, (_, i) => `root.q${i}`);
    const effects = await clocks.handle(queues.map((queue) => lowered(queue)));
    await db.transaction(async (tx) => {
      await effects?.(tx);
    });
    const asked: number[] = [];
    class Slow extends SimulatedCluster {
      override usage(partition: string, names: string[]) {
        asked.push(names.length);
        return names.length > 100 ? Promise.reject(new Error('too slow')) : super.usage(partition, names);
      }
    }
    const slow = new StartDueRuns(db, new Slow(db), settings, machineClock);
    const failed = async () => {
      await expect(slow.check('p')).rejects.toThrow('too slow');
    };
    // With 5,000, 2,500, 1,250, 625, 312 and 156.
    for (let tries = 0; tries < 6; tries++) await failed();
    expect(await slow.check('p', { isSecond: true })).toMatchObject({ left: true });
    expect(await slow.check('p')).toMatchObject({ more: true });
    expect(asked.at(-1)).toBe(100);
    await slow.check('p');
    expect(asked.at(-1)).toBe(50);
    expect(await timers()).toEqual([]);
  });
});
