import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { place, SimulatedCluster } from '#clusters';
import type { EventData, QuotaDecreaseSettings } from '#contracts';
import {
  append,
  clockStream,
  configStream,
  type KnownEvent,
  known,
  operatorStream,
  readStream,
  streamVersion,
} from '#event-store';
import { machineClock } from '../../../test/support/machine-clock.js';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { silentWakeUpQueue } from '../testing/silent-wake-up-queue.js';
import { timerSettings } from '../testing/timer-settings.js';
import { ClockEvents } from './clocks/clock-events.js';
import { KeepClocks } from './keep-clocks.js';
import { KeepRoundClocks } from './rounds/keep-round-clocks.js';
import { WakeUps } from './wake-ups/wake-ups.js';

const atSecond = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000);

// Kafka does not keep the order between queues and the partition, or between topics.
describe('the clocks, when related events arrive in another order', () => {
  let db: DataSource;
  withMigratedDatabase(async (opened) => {
    db = opened;
    await place(db, 'p', {
      applications: [{ id: 'one', queue: 'root.a' }],
      allocations: [
        {
          id: 'one-1',
          application: 'one',
          queue: 'root.a',
          resources: { memory: 200 },
          startedAt: atSecond(0).toISOString(),
        },
      ],
    });
  });
  beforeEach(async () => {
    for (const table of ['events', 'clocks', 'timers', 'partitions', 'kill_switches', 'inbox'])
      await db.query(`DELETE FROM ${table}`);
  });

  async function inForce(switchedOn: boolean): Promise<void> {
    await db.query('DELETE FROM partitions');
    await db.query(
      `INSERT INTO partitions (partition, digest, format, version, quota_preemption_enabled, applied_at, body)
       VALUES ('p', '', 'yunikorn', 1, $1, now(), '')`,
      [switchedOn],
    );
  }
  const handle = (event: KnownEvent, policy?: QuotaDecreaseSettings) => handleAll([event], policy);
  async function handleAll(all: KnownEvent[], policy: QuotaDecreaseSettings = {}): Promise<void> {
    const settings = timerSettings(policy);
    const wakeUps = new WakeUps(silentWakeUpQueue, machineClock);
    const monitors = new KeepRoundClocks(db, wakeUps, settings);
    const events = new ClockEvents(settings, new SimulatedCluster(db), db);
    const clocks = new KeepClocks(events, wakeUps, db, monitors);
    const effects = await clocks.handle(all);
    await db.transaction(async (tx) => {
      await effects?.(tx);
    });
  }
  let version = 0;
  const at = (second: number) => ({ time: atSecond(second), version: ++version }) as KnownEvent;
  const lowered = (
    second: number,
    from: number,
    to: number,
    delaySeconds = 60,
    queue = 'root.a',
  ): KnownEvent => {
    const data: EventData<'QuotaChanged'> = {
      partition: 'p',
      queue,
      previous: { max: { memory: from }, delayMs: 60_000 },
      current: { max: { memory: to }, delayMs: delaySeconds * 1000 },
    };
    return { ...at(second), name: 'QuotaChanged', data } as KnownEvent;
  };
  const turned = (second: number, on: boolean): KnownEvent => {
    const data: EventData<'ConfigApplied'> = {
      ...{ partition: 'p', digest: '', format: 'yunikorn', queues: 1, changed: 1, notices: [] },
      quotaPreemptionEnabled: on,
      previousQuotaPreemptionEnabled: !on,
    };
    return { ...at(second), name: 'ConfigApplied', data } as KnownEvent;
  };
  async function clock(): Promise<{ state: string; dueInSeconds: number }> {
    const rows = await db.query<{ state: string; due_at: Date }[]>('SELECT state, due_at FROM timers');
    return {
      state: rows[0]!.state,
      dueInSeconds: (rows[0]!.due_at.getTime() - atSecond(0).getTime()) / 1000,
    };
  }

  it('a clock keeps its time when it was set after the switch was turned on', async () => {
    await inForce(true);
    await handle(lowered(100, 100, 80));
    await handle(turned(90, true));
    expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 160 });
  });

  it('all clocks of a long batch are set, one of them by the first and the last change', async () => {
    await inForce(true);
    const queues = Array.from({ length: 600 }, (_, i) => `root.q${i}`);
    const changes = queues.map((queue) => lowered(100, 100, 80, 60, queue));
    await handleAll([...changes, lowered(200, 80, 70, 60, queues[0])]);
    const timers = await db.query<{ name: string; due: number }[]>(
      'SELECT name, extract(epoch FROM due_at - $1)::int AS due FROM timers',
      [atSecond(0)],
    );
    expect(new Map(timers.map(({ name, due }) => [name, due]))).toEqual(
      new Map(queues.map((queue, i) => [queue, i === 0 ? 260 : 160])),
    );
    const stream = (await readStream(db, clockStream('p', queues[0]!))).map(known);
    expect(stream.map(({ name }) => name)).toEqual(['EnforcementScheduled', 'EnforcementRescheduled']);
  });

  it.each([
    ['before', 105, []],
    ['after', 95, ['EnforcementScheduled']],
  ])(
    'a request that arrives late starts no run where its operator cancelled one since: it was made %s',
    async (_, cancelledAt, follows) => {
      await inForce(true);
      await handle(lowered(80, 100, 80));
      const stream = async () => (await readStream(db, clockStream('p', 'root.a'))).map(known);
      const [scheduled] = (await stream()) as KnownEvent<'EnforcementScheduled'>[];
      const { enforcement } = scheduled!.data;
      const cancel = { partition: 'p', queue: 'root.a', enforcement, by: 'ann' };
      await append(db.manager, [
        {
          ...{ stream: operatorStream(enforcement), partition: 'p', expectedVersion: 0 },
          events: [
            { event: { name: 'CancelRequested', data: cancel }, at: atSecond(cancelledAt), key: 'root.a' },
          ],
        },
      ]);
      const [cancelled] = await readStream(db, operatorStream(enforcement));
      await handle(known(cancelled!));
      const before = (await stream()).map(({ name }) => name);
      expect(before).toEqual(['EnforcementScheduled', 'EnforcementCancelled']);
      const data = { partition: 'p', queue: 'root.a', by: 'bob', atOnce: true };
      const request = { ...at(100), id: 'late', name: 'EnforcementRequested', data };
      await handle(request as unknown as KnownEvent);
      expect((await stream()).map(({ name }) => name)).toEqual([...before, ...follows]);
    },
  );

  it('a switch that is no longer in force is not applied', async () => {
    await inForce(true);
    await handle(lowered(100, 100, 80));
    await handle(turned(50, false));
    expect((await clock()).state).toBe('pending');
    await handle(turned(60, true));
    expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 160 });

    await inForce(false);
    await handle(turned(110, false));
    expect((await clock()).state).toBe('suspended');
    await handle(turned(105, true));
    expect((await clock()).state).toBe('suspended');
  });

  it('a clock that was suspended gets its full delay when its change arrives before the switch', async () => {
    await inForce(false);
    await handle(lowered(0, 100, 80), { timerPolicy: 'shift' });
    expect(await clock()).toEqual({ state: 'suspended', dueInSeconds: 60 });
    await inForce(true);
    // Long after the old due time; `shift` moves it by the difference of the delays instead of setting it again.
    await handle(lowered(1000, 80, 70, 50), { timerPolicy: 'shift' });
    expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 1050 });
    await handle(turned(1000, true), { timerPolicy: 'shift' });
    expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 1050 });
  });

  describe('with a run', () => {
    beforeEach(async () => {
      await inForce(true);
      await handle(lowered(0, 100, 80));
      expect((await clock()).dueInSeconds).toBe(60);
      await db.query(`DELETE FROM timers`);
      await db.query(
        `UPDATE clocks SET running_enforcement = 'e', fencing_token = 1,
           state = (state::jsonb - 'pending' || jsonb_build_object('running', $1::jsonb))::json`,
        [
          JSON.stringify({
            enforcement: 'e',
            fencingToken: 1,
            startedAt: atSecond(60).toISOString(),
            firedWith: { max: { memory: 80 }, delayMs: 60_000 },
            changeSkipped: false,
          }),
        ],
      );
    });
    const ended = (outcome = 'satisfied'): KnownEvent => {
      const data = { partition: 'p', queue: 'root.a', enforcement: 'e', outcome, shortfall: {} };
      return { ...at(100), name: 'EnforcementEnded', data } as KnownEvent;
    };

    it('a change that arrives after the end of its run starts a clock of its own', async () => {
      await handle(ended());
      await handle(lowered(90, 80, 70));
      expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 150 });
    });

    // Allocations use 200.
    it.each([
      ['before', async () => [await handle(lowered(90, 80, 70)), await handle(ended())]],
      ['together with', () => handleAll([lowered(90, 80, 70), ended()])],
    ])(
      'a change that arrives %s the end of its run starts another clock, since the queue is still above its quota',
      async (_, change) => {
        await change();
        expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 160 });
      },
    );

    it('the end of a run that was stopped starts another clock, since the queue is still above its quota', async () => {
      await handle(ended('stopped'));
      expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 160 });
    });
  });

  it('a change that is older than the one applied last is ignored', async () => {
    await inForce(true);
    const stale = lowered(0, 100, 20);
    await handle(lowered(100, 20, 80, 60));
    const before = await db.query('SELECT state, config_version FROM clocks');
    await handle(stale);
    expect(await db.query('SELECT state, config_version FROM clocks')).toEqual(before);
  });

  describe('and a change before it was lost', () => {
    /** Appends a change to the log, as config-ingest does; returns its version there. */
    async function record(event: KnownEvent): Promise<KnownEvent> {
      const { name, data, time } = event as KnownEvent<'QuotaChanged'>;
      const stream = configStream('p');
      const before = await streamVersion(db.manager, stream);
      await append(db.manager, [
        {
          ...{ stream, partition: 'p', expectedVersion: before },
          events: [{ event: { name, data }, at: time, key: data.queue }],
        },
      ]);
      const stored = await readStream(db, stream, { afterVersion: before });
      return known(stored[0]!);
    }
    async function recorded(): Promise<string[]> {
      const events = (await readStream(db, clockStream('p', 'root.a'))).map(known);
      return events.map(({ name, data }) => ('cause' in data ? `${name} ${data.cause}` : name));
    }

    it('the next one applies it too, once', async () => {
      await inForce(true);
      const first = await record(lowered(0, 300, 100));
      const second = await record(lowered(10, 100, 90));
      await handle(second, { timerPolicy: 'keep-earliest' });
      expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 60 });
      const before = await recorded();
      await handle(first, { timerPolicy: 'keep-earliest' });
      expect(await recorded()).toEqual(before);
    });

    it('a raise still leaves the clock of an earlier decrease, where the policy requires that', async () => {
      await inForce(true);
      await handle(await record(lowered(0, 400, 300)), { timerPolicy: 'shift' });
      await record(lowered(10, 300, 50));
      await handle(await record(lowered(20, 50, 100)), { timerPolicy: 'shift' });
      expect((await clock()).state).toBe('pending');
    });

    it('a dead letter is not applied', async () => {
      await inForce(true);
      const first = await record(lowered(0, 300, 100));
      await db.query(`INSERT INTO inbox (consumer, event_id) VALUES ('timer', $1)`, [first.id]);
      await handle(await record(lowered(10, 100, 90)), { timerPolicy: 'keep-earliest' });
      expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 70 });
    });
  });

  it('a kill switch that is already cleared holds nothing, and one that is set holds the queues it covers', async () => {
    const by = 'ann';
    const stop = (name: 'KillSwitchSet' | 'KillSwitchCleared', second: number, queue: string | null) =>
      handle({ ...at(second), name, data: { partition: 'p', queue, by } } as KnownEvent);
    await inForce(true);
    await handle(lowered(0, 100, 80));
    await stop('KillSwitchSet', 10, 'root.a');
    expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 60 });

    await db.query(
      "INSERT INTO kill_switches (partition, queue, set_by, set_at) VALUES ('p', 'root.b', 'ann', now()), ('p', 'root', 'ann', now())",
    );
    await stop('KillSwitchSet', 10, 'root.b');
    expect((await clock()).state).toBe('pending');
    await stop('KillSwitchSet', 10, 'root');
    expect((await clock()).state).toBe('suspended');

    await db.query("DELETE FROM kill_switches WHERE queue = 'root.b'");
    await stop('KillSwitchCleared', 20, 'root.b');
    expect((await clock()).state).toBe('suspended');
    await db.query('DELETE FROM kill_switches');
    await stop('KillSwitchCleared', 500, null);
    expect(await clock()).toEqual({ state: 'pending', dueInSeconds: 560 });
  });

  it('a clock that is set under a kill switch is suspended, and the switch of the partition does not resume it', async () => {
    await db.query(
      "INSERT INTO kill_switches (partition, queue, set_by, set_at) VALUES ('p', '', 'ann', now())",
    );
    await inForce(true);
    await handle(lowered(0, 100, 80));
    expect((await clock()).state).toBe('suspended');
    await handle(turned(10, true));
    expect((await clock()).state).toBe('suspended');
  });
});
