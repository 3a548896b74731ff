import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { place, SimulatedCluster } from '#clusters';
import { clockKind, type DomainEvent, type QuotaDecreaseSettings, type QuotaValues } from '#contracts';
import { append, clockStream, configStream, known, readStream, runStream } from '#event-store';
import { Metrics } from '#platform';
import { partitionsWaitingForSize } from '#timers';
import { machineClock } from '../../../../test/support/machine-clock.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { silentWakeUpQueue } from '../../testing/silent-wake-up-queue.js';
import { timerSettings } from '../../testing/timer-settings.js';
import { ClockEvents } from '../clocks/clock-events.js';
import { resumeWithSize } from '../clocks/cluster-size.js';
import { StartDueRuns } from '../start-due-runs.js';
import { WakeUps } from '../wake-ups/wake-ups.js';
import { CheckClocks } from './check-clocks.js';
import { CheckQuotas } from './check-quotas.js';
import { FindMissedEvents } from './missed-events.js';
import { Reconciler } from './reconciler.js';
import { UnblockQueues } from './unblock-queues.js';

const partition = 'p';
const queue = 'root.a';
const values = (memory: number, delayMs = 60_000): QuotaValues => ({ max: { memory }, delayMs });

/** Nothing was to be evicted: no clock follows. */
const ended = (enforcement: string): DomainEvent<'EnforcementEnded'> => ({
  name: 'EnforcementEnded',
  data: {
    ...{ partition, queue, enforcement, outcome: 'best-effort', fencingToken: 1 },
    ...{
      evicted: 0,
      gone: 0,
      spared: 0,
      failed: 0,
      freed: {},
      target: { memory: 100 },
      shortfall: { memory: 100 },
    },
    ...{ message: 'It evicted nothing.', notices: [] },
  },
});

/** The queue uses 200. Events that a test does not deliver were lost: no consumer runs. */
describe('the reconciler', () => {
  let db: DataSource;
  let cluster: SimulatedCluster;
  withMigratedDatabase(async (opened) => {
    db = opened;
    cluster = new SimulatedCluster(db);
    await place(db, partition, {
      applications: [{ id: 'one', queue }],
      allocations: [
        {
          id: 'one-1',
          application: 'one',
          queue,
          resources: { memory: 200 },
          startedAt: new Date(0).toISOString(),
        },
      ],
    });
  });
  beforeEach(async () => {
    for (const table of [
      'events',
      'clocks',
      'timers',
      'partitions',
      'quota_changes',
      'kill_switches',
      'freezes',
      'inbox',
      'subscriptions',
      'dead_letters',
    ])
      await db.query(`DELETE FROM ${table}`);
    await db.query(
      `INSERT INTO partitions (partition, digest, format, version, quota_preemption_enabled, applied_at, body)
       VALUES ($1, '', 'yunikorn', 1, true, now(), '')`,
      [partition],
    );
  });

  /** Without `reconcileMs` only what is older than half a minute is compared. */
  function reconciler(policy: QuotaDecreaseSettings = {}, metrics = new Metrics(), reconcileMs = 60_000) {
    const settings = { ...timerSettings(policy), reconcileMs };
    const wakeUps = new WakeUps(silentWakeUpQueue, machineClock);
    return new Reconciler(
      db,
      settings,
      new ClockEvents(settings, cluster, db),
      new FindMissedEvents(db),
      new CheckClocks(db, settings, wakeUps),
      new CheckQuotas(db, cluster, settings, wakeUps),
      new UnblockQueues(db, cluster, settings, wakeUps),
      wakeUps,
      metrics,
    );
  }

  let configVersion = 0;
  /** Appends a change as config-ingest does, `seconds` ago. */
  async function save(previous: QuotaValues, current: QuotaValues, seconds = 120): Promise<void> {
    const event: DomainEvent = { name: 'QuotaChanged', data: { partition, queue, previous, current } };
    const at = new Date(Date.now() - seconds * 1000);
    const rows = await db.query<{ version: number }[]>(
      'SELECT coalesce(max(version), 0)::int AS version FROM events WHERE stream = $1',
      [configStream(partition)],
    );
    configVersion = rows[0]!.version + 1;
    await append(db.manager, [
      {
        stream: configStream(partition),
        partition,
        expectedVersion: configVersion - 1,
        events: [{ event, at, key: queue }],
      },
    ]);
    await db.query(
      `INSERT INTO quota_changes (partition, queue, version, changed_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (partition, queue) DO UPDATE SET version = excluded.version, changed_at = excluded.changed_at`,
      [partition, queue, configVersion, at.toISOString()],
    );
  }
  /** The events of the clock, by name and cause. */
  async function clock(): Promise<string[]> {
    const events = (await readStream(db, clockStream(partition, queue))).map(known);
    return events.map(({ name, data }) => ('cause' in data ? `${name} ${data.cause}` : name));
  }

  const start = () => new StartDueRuns(db, cluster, timerSettings(), machineClock).check(partition);

  it('applies a change that never arrived, with the due time that it would have had', async () => {
    await save(values(300), values(100));
    await reconciler().run();
    expect(await clock()).toEqual(['EnforcementScheduled quota-lowered']);
    const [timer] = await db.query<{ due: Date }[]>('SELECT due_at AS due FROM timers');
    expect(timer!.due.getTime()).toBeLessThan(Date.now());
    await reconciler().run();
    expect(await clock()).toHaveLength(1);
  });

  it('applies all changes that never arrived, in their order', async () => {
    await save(values(300), values(100));
    await save(values(100), values(150));
    await reconciler().run();
    expect(await clock()).toEqual([
      'EnforcementScheduled quota-lowered',
      'EnforcementCancelled quota-raised',
      'QuotaNotMet',
    ]);
  });

  it.each([
    [
      'the inbox marks',
      (id: string) => db.query("INSERT INTO inbox (consumer, event_id) VALUES ('timer', $1)", [id]),
      1,
    ],
    [
      'lies before its place in the log',
      (id: string) =>
        db.query(
          `INSERT INTO subscriptions (name, transaction_id, position)
           SELECT 'timer', transaction_id, position FROM events WHERE id = $1`,
          [id],
        ),
      1,
    ],
    [
      'is a dead letter',
      async (id: string) => {
        await db.query("INSERT INTO inbox (consumer, event_id) VALUES ('timer', $1)", [id]);
        await db.query(
          `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason)
           VALUES ('timer', $1, 'curtail.quota', 'root.a', 't', 'r')`,
          [id],
        );
      },
      2,
    ],
  ])('applies a change that %s only if it was not applied before', async (_case, handle, applied) => {
    await save(values(300), values(100));
    const [first] = await db.query<{ id: string }[]>('SELECT id FROM events');
    await handle(first!.id);
    await save(values(100), values(50));
    await reconciler().run();
    expect(await clock()).toHaveLength(applied);
    await reconciler().run();
    expect(await clock()).toHaveLength(applied);
  });

  describe('of a run that has ended', () => {
    const lock = async () =>
      (await db.query<{ run: string | null }[]>('SELECT running_enforcement AS run FROM clocks'))[0]!.run;
    async function beginAndEnd(): Promise<string> {
      await save(values(300), values(100));
      await reconciler().run();
      await start();
      const run = (await lock())!;
      await append(db.manager, [
        {
          ...{ stream: runStream(run), partition, expectedVersion: 0 },
          events: [{ event: ended(run), key: queue }],
        },
      ]);
      return run;
    }

    it.each<[string, (end: string) => Promise<unknown>]>([
      ['never arrived', async () => {}],
      ['is a dead letter', (end) => parkEnd(end)],
      ['was a dead letter that was discarded', (end) => markEnd(end)],
    ])('releases the lock where the end %s, once', async (_case, handle) => {
      const run = await beginAndEnd();
      const [end] = await readStream(db, runStream(run));
      await handle(end!.id);
      const metrics = new Metrics();
      await reconciler({}, metrics, 0).run();
      expect(await lock()).toBeNull();
      await reconciler({}, metrics, 0).run();
      expect((await clock()).filter((name) => name.startsWith('EnforcementReleased'))).toEqual([
        'EnforcementReleased ended',
      ]);
      expect(await metrics.registry.getSingleMetricAsString('curtail_reconciled_total')).toContain(
        '{what="end"} 1',
      );
    });
    const markEnd = (id: string) =>
      db.query("INSERT INTO inbox (consumer, event_id) VALUES ('timer', $1)", [id]);
    const parkEnd = async (id: string) => {
      await markEnd(id);
      await db.query(
        `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason)
         VALUES ('timer', $1, 'curtail.enforcement', 'root.a', 't', 'r')`,
        [id],
      );
    };

    it('leaves an end alone that may still be on its way', async () => {
      const run = await beginAndEnd();
      await reconciler().run();
      expect(await lock()).toBe(run);
    });

    it('releases it although a change in the partition cannot be applied', async () => {
      await beginAndEnd();
      await db.query(
        "INSERT INTO quota_changes (partition, queue, version, changed_at) VALUES ($1, 'root.broken', 9, now() - interval '1 hour')",
        [partition],
      );
      await db.query(
        `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
         VALUES ($1, 9, gen_random_uuid(), 'io.curtail.quota.changed.v1', 'curtail.quota', $2, 'root.broken', now(), '{}')`,
        [configStream(partition), partition],
      );
      await reconciler({}, new Metrics(), 0).run();
      expect(await lock()).toBeNull();
    });
  });

  it('corrects a timer whose state or due time is wrong, and one that waits for no run', async () => {
    await save(values(300), values(100, 3_600_000));
    await reconciler().run();
    const before = await db.query('SELECT * FROM timers');
    for (const wrong of ["state = 'suspended'", "due_at = now() + interval '1 year'", "state = 'waiting'"]) {
      await db.query(`UPDATE timers SET ${wrong}`);
      await reconciler().run();
      expect(await db.query('SELECT * FROM timers')).toEqual(before);
    }
  });

  it('skips changes that may still be on their way', async () => {
    await save(values(300), values(100), 0);
    await reconciler().run();
    expect(await clock()).toEqual([]);
  });

  it('restores a lost timer, and removes one without a clock', async () => {
    await save(values(300), values(100, 3_600_000));
    await reconciler().run();
    const before = await db.query('SELECT * FROM timers');
    await db.query('DELETE FROM timers');
    await db.query("INSERT INTO clocks (partition, queue, version, state) VALUES ($1, 'root.b', 0, '{}')", [
      partition,
    ]);
    await db.query(
      "INSERT INTO timers (kind, partition, name, generation, due_at, state) VALUES ('quota-decrease', $1, 'root.b', 1, now(), 'pending')",
      [partition],
    );
    const metrics = new Metrics();
    const corrected = () => metrics.registry.getSingleMetricAsString('curtail_reconciled_total');
    await reconciler({}, metrics).run();
    expect(await db.query('SELECT * FROM timers')).toEqual(before);
    expect(await corrected()).toContain('{what="timer"} 2');
    await reconciler({}, metrics).run();
    expect(await corrected()).toContain('{what="timer"} 2');
  });

  it('resumes a clock whose kill switch was cleared without an event', async () => {
    await db.query(
      "INSERT INTO kill_switches (partition, queue, set_by, set_at) VALUES ($1, $2, 'ann', now())",
      [partition, queue],
    );
    await save(values(300), values(100));
    await reconciler().run();
    expect((await clock()).at(-1)).toBe('EnforcementSkipped suspended');
    await reconciler().run();
    expect((await clock()).at(-1)).toBe('EnforcementSkipped suspended');
    await db.query('DELETE FROM kill_switches');
    await reconciler().run();
    expect((await clock()).at(-1)).toBe('EnforcementRescheduled switched-on');
  });

  it('makes a clock due that waits for the end of a freeze that was cleared without an event', async () => {
    const freeze = (id: string, hours: number) =>
      db.query(
        `INSERT INTO freezes (id, partition, queue, period, set_by, set_at)
         SELECT $1, $2, $3, jsonb_build_object('from', at - interval '1 hour', 'until', at + $4 * interval '1 hour'), 'ann',
                at - interval '1 hour'
         FROM now() AS at`,
        [id, partition, queue, hours],
      );
    await freeze('f-long', 2);
    await freeze('f-short', 1);
    await save(values(300), values(100));
    await reconciler().run();
    await start();
    const last = async () => (await clock()).at(-1);
    const dueAt = async () => (await db.query<{ due_at: Date }[]>('SELECT due_at FROM timers'))[0]!.due_at;
    expect(await last()).toBe('EnforcementRescheduled frozen');
    const long = await dueAt();
    await reconciler().run();
    expect(await dueAt()).toEqual(long);
    await db.query("DELETE FROM freezes WHERE id = 'f-long'");
    await reconciler().run();
    expect(await last()).toBe('EnforcementRescheduled frozen');
    expect((await dueAt()).getTime()).toBeLessThan(long.getTime());
    await db.query('DELETE FROM freezes');
    await reconciler().run();
    expect(await last()).toBe('EnforcementRescheduled unfrozen');
    await start();
    expect(await last()).toBe('EnforcementStarted');
  });

  it('gives a lease to a lock that has none', async () => {
    await db.query(
      `INSERT INTO clocks (partition, queue, version, state, running_enforcement, fencing_token)
       VALUES ($1, $2, 0, '{}', 'e', 1)`,
      [partition, queue],
    );
    await reconciler().run();
    const [row] = await db.query<{ leased: boolean }[]>('SELECT lease_until > now() AS leased FROM clocks');
    expect(row!.leased).toBe(true);
  });

  describe('of a queue above its quota with no clock and no run', () => {
    /** Its clock was cancelled without a valid reason. */
    beforeEach(async () => {
      await save(values(300), values(100));
      await save(values(100), values(150));
    });

    it('reports it once, and counts it', async () => {
      const metrics = new Metrics();
      await reconciler({}, metrics).run();
      await reconciler({}, metrics).run();
      expect((await clock()).filter((name) => name === 'QuotaNotMet')).toHaveLength(1);
      expect(await metrics.registry.getSingleMetricAsString('curtail_quotas_not_met')).toContain(
        'curtail_quotas_not_met{partition="p"} 1',
      );
    });

    it('starts its clock with the setting enforce', async () => {
      await reconciler({ reconcile: 'enforce' }).run();
      expect((await clock()).slice(-2)).toEqual(['QuotaNotMet', 'EnforcementScheduled reconciled']);
    });

    it('reports when it is within its quota again', async () => {
      await reconciler().run();
      await db.query(
        "UPDATE simulated_allocations SET state = 'releasing', gone_at = now() + interval '1 hour'",
      );
      await reconciler().run();
      await db.query("UPDATE simulated_allocations SET state = 'running', gone_at = NULL");
      expect((await clock()).at(-1)).toBe('QuotaMet');
    });

    it('reports nothing while a partition is only observed', async () => {
      await db.query("INSERT INTO partition_modes (partition, mode) VALUES ($1, 'observe')", [partition]);
      await reconciler().run();
      await db.query('DELETE FROM partition_modes');
      expect(await clock()).not.toContain('QuotaNotMet');
    });

    it('waits for a run above or below it', async () => {
      for (const busy of ['root', 'root.a.b']) {
        await db.query(
          `INSERT INTO clocks (partition, queue, version, state, running_enforcement, fencing_token, lease_until)
           VALUES ($1, $2, 0, '{}', $2, 1, now() + interval '1 hour')`,
          [partition, busy],
        );
        await reconciler().run();
        expect(await clock()).not.toContain('QuotaNotMet');
        await db.query('DELETE FROM clocks WHERE queue = $1', [busy]);
      }
      await reconciler().run();
      expect(await clock()).toContain('QuotaNotMet');
    });
  });

  describe('where the quota in force is a share of the cluster', () => {
    afterEach(() => db.query('DELETE FROM simulated_nodes'));
    beforeEach(async () => {
      await db.query('DELETE FROM queues');
      await db.query(
        `INSERT INTO queues (partition, path, parent, delay_ms, cluster_share) VALUES ($1, $2, false, 60000, '{"max": "1/2"}')`,
        [partition, queue],
      );
    });
    afterAll(() => db.query('DELETE FROM queues'));
    const withNode = (memory: number) =>
      db.query(
        `INSERT INTO simulated_nodes (partition, id, capacity) VALUES ($1, 'n', $2)
         ON CONFLICT (partition, id) DO UPDATE SET capacity = excluded.capacity`,
        [partition, { memory }],
      );

    it('updates a clock that knows only the amounts of the save, once; from then on it is judged by the share', async () => {
      await withNode(200);
      await save(values(300), values(100));
      await reconciler().run();
      await reconciler().run();
      expect(await clock()).toEqual(['EnforcementScheduled quota-lowered', 'QuotaNoted']);
      await withNode(400);
      await start();
      expect((await clock()).at(-1)).toBe('EnforcementCancelled not-needed');
    });

    it('skips a clock whose change is still on its way', async () => {
      await withNode(400);
      await save(values(300), values(100));
      await reconciler().run();
      await save(values(100), values(80), 0);
      await db.query("UPDATE clocks SET state = (state::jsonb #- '{values,maxShare}')::json");
      await reconciler().run();
      expect((await clock()).filter((name) => name === 'QuotaNoted')).toHaveLength(1);
    });

    it('names a queue above a share of a cluster that has shrunk, and starts no clock', async () => {
      const shared = { ...values(200), maxShare: '1/2' };
      await withNode(400);
      await save({ ...shared, maxShare: '3/4' }, shared);
      await reconciler().run();
      await start();
      await reconciler().run();
      expect((await clock()).at(-1)).toBe('EnforcementCancelled not-needed');
      await withNode(300);
      await reconciler().run();
      expect((await clock()).at(-1)).toBe('QuotaNotMet');
      await withNode(400);
      await reconciler().run();
      expect((await clock()).at(-1)).toBe('QuotaMet');
    });

    it('leaves a due clock waiting while no nodes are known, and the sweep resumes it with them', async () => {
      const shared = { ...values(0), max: null, maxShare: '1/2' };
      await save({ max: null, delayMs: 0 }, shared);
      await reconciler().run();
      await start();
      const states = async () =>
        (await db.query<{ state: string }[]>('SELECT state FROM timers')).map(({ state }) => state);
      expect(await states()).toEqual(['waiting']);
      await reconciler().run();
      expect(await states()).toEqual(['waiting']);
      expect(await partitionsWaitingForSize(db, clockKind)).toEqual([partition]);
      expect(await resumeWithSize(db, cluster, partition)).toBe(false);
      await withNode(300);
      expect(await resumeWithSize(db, cluster, partition)).toBe(true);
      expect(await partitionsWaitingForSize(db, clockKind)).toEqual([]);
      await start();
      expect((await clock()).at(-1)).toBe('EnforcementStarted');
    });
  });

  it('continues with other partitions when one fails', async () => {
    await db.query(
      `INSERT INTO partitions (partition, digest, format, version, quota_preemption_enabled, applied_at, body)
       VALUES ('broken', '', 'yunikorn', 1, true, now(), '')`,
    );
    await db.query(
      "INSERT INTO quota_changes (partition, queue, version, changed_at) VALUES ('broken', 'root.x', 1, now() - interval '1 hour')",
    );
    await db.query(
      `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
       VALUES ('config-broken', 1, gen_random_uuid(), 'io.curtail.quota.changed.v1', 'curtail.quota', 'broken', 'root.x', now(), '{}')`,
    );
    await save(values(300), values(100));
    await reconciler().run();
    expect(await clock()).toEqual(['EnforcementScheduled quota-lowered']);
  });
});
