import type { DataSource } from 'typeorm';
import { type ClusterReader, place } from '#clusters';
import type { EventData } from '#contracts';
import type { KnownEvent } from '#event-store';
import { ClockEvents } from '../../apps/timer/src/clocks/clock-events.js';
import { KeepClocks } from '../../apps/timer/src/keep-clocks.js';
import { KeepRoundClocks } from '../../apps/timer/src/rounds/keep-round-clocks.js';
import type { TimerSettings } from '../../apps/timer/src/settings/timer-settings.js';
import { StartDueRuns } from '../../apps/timer/src/start-due-runs.js';
import type { WakeUps } from '../../apps/timer/src/wake-ups/wake-ups.js';
import { machineClock } from './machine-clock.js';

/** The parts that keep clocks; the cluster is a simulated one. */
export interface ClockParts {
  db: DataSource;
  cluster: ClusterReader;
  wakeUps: WakeUps;
  settings: TimerSettings;
}

/** A partition with so many queues, `root.q0` and on, each with one allocation of 200 bytes. */
export async function placeQueues(db: DataSource, partition: string, count: number): Promise<void> {
  const queues = queuesOf(count);
  await place(db, partition, {
    applications: queues.map((queue) => ({ id: queue, queue })),
    allocations: queues.map((queue) => ({
      ...{ id: queue, application: queue, queue },
      ...{ resources: { memory: 200 }, startedAt: '2026-01-01T00:00:00Z' },
    })),
  });
  await db.query(
    `INSERT INTO partitions (partition, digest, format, version, quota_preemption_enabled, applied_at, body)
     VALUES ($1, '', 'yunikorn', 1, true, now(), '')`,
    [partition],
  );
}

/** The quotas of these queues were lowered to half a minute ago, with a delay of a second, and their runs begin. */
export async function beginRuns(
  { db, cluster, wakeUps, settings }: ClockParts,
  partition: string,
  count: number,
): Promise<void> {
  const events = new ClockEvents(settings, cluster, db);
  const clocks = new KeepClocks(events, wakeUps, db, new KeepRoundClocks(db, wakeUps, settings));
  const time = new Date(Date.now() - 60_000);
  const lowered = queuesOf(count).map((queue, index) => {
    const data: EventData<'QuotaChanged'> = {
      ...{ partition, queue, previous: { max: { memory: 200 }, delayMs: 1000 } },
      current: { max: { memory: 100 }, delayMs: 1000 },
    };
    return { time, name: 'QuotaChanged', version: index + 1, data } as KnownEvent;
  });
  const effects = await clocks.handle(lowered);
  await db.transaction(async (tx) => {
    await effects?.(tx);
  });
  for (let checked = { left: true }; checked.left; ) {
    checked = await new StartDueRuns(db, cluster, settings, machineClock).check(partition);
  }
}

const queuesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `root.q${i}`);
