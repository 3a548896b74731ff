import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { InventoryUnknown, place, SimulatedCluster } from '#clusters';
import { clockKind, type DomainEvent, InputError } from '#contracts';
import { appendNext, clockStream, foresightStream, known, readStream } from '#event-store';
import { saveFreeze } from '#holds';
import { saveClocks } from '#runs';
import { setTimers } from '#timers';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import type { ForesightSettings } from '../settings/planner-settings.js';
import { CheckClock } from './check-clock.js';
import { checkAll, syncWithClocks, takeDueCheck } from './foresight-table.js';
import { QuietClocks } from './quiet-clocks.js';

const partition = 'p';
const queue = 'root.a';
const settings: ForesightSettings = {
  ...{ policy: {}, mode: undefined, defaultMode: 'enforce', mostAllocations: 1000, mostVictims: 1000 },
  ...{ approveAboveVictims: 100, approveAbovePercent: 100 },
  ...{ foresight: 'on', foresightSeconds: 300, foresightLeastSeconds: 60 },
};

describe('advance notice of the clock of a queue', () => {
  let db: DataSource;
  let dueAt: string;
  withMigratedDatabase(async (opened) => {
    db = opened;
    const [row] = await db.query<{ at: Date }[]>(
      `SELECT date_trunc('milliseconds', now()) + interval '1 hour' AS at`,
    );
    dueAt = row!.at.toISOString();
  });
  beforeEach(async () => {
    seen = 0;
    for (const table of [
      ...['foresights', 'foreseen_owners', 'timers', 'clocks', 'events', 'stream_heads', 'queues'],
      ...['freezes', 'kill_switches', 'partition_modes', 'setting_overrides'],
      ...['simulated_allocations', 'simulated_applications', 'simulated_nodes', 'simulated_budgets'],
      'planned_victims',
    ]) {
      await db.query(`DELETE FROM ${table}`);
    }
    await db.query(
      `INSERT INTO queues (partition, path, max, delay_ms, parent)
       VALUES ('p', 'root', NULL, 0, true), ('p', 'root.a', '{"memory":60}', 3600000, false)`,
    );
    await work('etl', 'ann', 5);
    await setClock('e-1', 1);
  });

  /** Tasks of 20 each; the last of the application that started last goes first. */
  const work = (application: string, user: string, count: number, day = 1) =>
    place(db, partition, {
      applications: [{ id: application, queue, user }],
      allocations: Array.from({ length: count }, (_, i) => ({
        id: `${application}-${i + 1}`,
        ...{ application, queue, resources: { memory: 20 } },
        startedAt: `2026-01-${String(day).padStart(2, '0')}T00:00:${String(i).padStart(2, '0')}Z`,
      })),
    });

  async function setClock(enforcement: string, generation: number, given: object = {}): Promise<void> {
    const pending = { enforcement, generation, dueAt, suspended: false, ...given };
    const values = { max: { memory: 60 }, delayMs: 3_600_000 };
    const state = { partition, queue, values, generation, pending };
    await db.transaction(async (tx) => {
      await saveClocks(tx, [{ partition, queue, version: generation, state, configVersion: 1 }], 60_000);
      await setTimers(tx, [
        {
          ...{ kind: clockKind, partition, name: queue, generation, dueAt: new Date(pending.dueAt) },
          state: pending.suspended ? 'suspended' : 'pending',
        },
      ]);
    });
  }

  /** The clock has no timer any more, and its stream says why. */
  async function endClock(event: DomainEvent): Promise<void> {
    await db.transaction(async (tx) => {
      await tx.query('DELETE FROM timers');
      await tx.query(`UPDATE clocks SET state = (state::jsonb - 'pending')::json`);
      await appendNext(tx, {
        ...{ stream: clockStream(partition, queue), partition },
        events: [{ event, key: queue }],
      });
    });
  }
  const cancelled = (cause: 'quota-raised' | 'operator'): DomainEvent => ({
    name: 'EnforcementCancelled',
    data: { partition, queue, enforcement: 'e-1', generation: 1, dueAt, cause, notices: [] },
  });
  const started = (): DomainEvent => ({
    name: 'EnforcementStarted',
    data: {
      ...{ partition, queue, enforcement: 'e-1', generation: 1, fencingToken: 1, dueAt, startedAt: dueAt },
      ...{ lateMs: 0, values: { max: { memory: 60 }, delayMs: 3_600_000 }, notices: [] },
    },
  });

  /** Compares rows and clocks, and makes the checks that are due; a check at the interval is due too. */
  async function check(given: Partial<ForesightSettings> = {}, cluster = new SimulatedCluster(db)) {
    const own = { ...settings, ...given };
    const clocks = new CheckClock(db, cluster, own);
    await db.query('UPDATE foresights SET next_check_at = now()');
    await syncWithClocks(db, own.foresight === 'on' ? own.foresightLeastSeconds : null);
    const faults: (string | undefined)[] = [];
    for (let taken = await takeDueCheck(db); taken; taken = await takeDueCheck(db))
      faults.push(await clocks.check(taken));
    return faults;
  }

  let seen: number;
  /** The events since the last call. */
  async function news(): Promise<string[]> {
    const events = (await readStream(db, foresightStream(partition, queue))).map(known);
    const fresh = events.slice(seen);
    seen = events.length;
    return fresh.map(({ name, data }) => {
      if (name === 'VictimForeseen')
        return `${data.application} ${data.changes.join()}: ${data.allocations.join()}`;
      return name === 'ForesightWithdrawn' ? `${data.application} withdrawn: ${data.code}` : name;
    });
  }
  const rows = () => db.query<object[]>('SELECT * FROM foreseen_owners');
  /** Of each clock, when the plan was made that holds for it. */
  const plannedAt = async () =>
    (await db.query<{ at: Date | null }[]>('SELECT checked_at AS at FROM foresights')).map(({ at }) => at);

  it('is given once to each owner of what would be evicted, with when and why', async () => {
    await check();
    const [first] = (await readStream(db, foresightStream(partition, queue))).map(known);
    expect(first!.data).toMatchObject({
      ...{ partition, queue, enforcement: 'e-1', application: 'etl', user: 'ann', changes: ['new'] },
      ...{ dueAt, victims: 2, allocations: ['etl-5', 'etl-4'], resources: { memory: 40 } },
      ...{ rule: 'younger', checks: 1, needsApproval: false, notified: 1, more: 0 },
    });
    await check();
    expect(await news()).toEqual(['etl new: etl-5,etl-4']);
    expect(await rows()).toEqual([expect.objectContaining({ application: 'etl', checks: 2 })]);
  });

  it('changes with the work of the queue, and ends when the quota is raised', async () => {
    await check();
    await work('web', 'ben', 1, 2);
    await check();
    await db.query(`DELETE FROM simulated_allocations WHERE id IN ('etl-1', 'etl-2')`);
    await check();
    expect(await news()).toEqual(['etl new: etl-5,etl-4', 'web new: web-1', 'etl withdrawn: other-victims']);
    await endClock(cancelled('quota-raised'));
    await check();
    expect(await news()).toEqual(['web withdrawn: quota-raised']);
    expect([await rows(), await db.query('SELECT FROM foresights')]).toEqual([[], []]);
  });

  it('ends without an event when the run starts, whose plan counts from then on', async () => {
    await check();
    await news();
    await endClock(started());
    await check();
    expect(await news()).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it('ends and begins again when another clock has followed unseen', async () => {
    await check();
    await endClock(cancelled('operator'));
    await setClock('e-2', 2);
    await check();
    expect(await news()).toEqual([
      'etl new: etl-5,etl-4',
      'etl withdrawn: cancelled',
      'etl new: etl-5,etl-4',
    ]);
    expect(await rows()).toEqual([expect.objectContaining({ checks: 1 })]);
  });

  it('is due at the end of a freeze in which the clock falls due', async () => {
    await check();
    const until = new Date(Date.parse(dueAt) + 7_200_000).toISOString();
    const from = new Date(Date.parse(dueAt) - 60_000).toISOString();
    const freeze = { freeze: 'f-1', partition, queue: null, window: { from, until }, by: 'ann' };
    await db.transaction(async (tx) => void (await saveFreeze(tx, { ...freeze, reason: undefined })));
    await check();
    expect(await news()).toEqual(['etl new: etl-5,etl-4', 'etl due: etl-5,etl-4']);
    expect(await rows()).toEqual([expect.objectContaining({ due_at: new Date(until) })]);
  });

  it.each<[string, string, () => Promise<unknown>, Partial<ForesightSettings>]>([
    [
      'the clock is suspended',
      'suspended',
      async () => {
        await db.query(
          `INSERT INTO kill_switches (partition, queue, set_by, set_at) VALUES ('p', '', 'ann', now())`,
        );
        await setClock('e-1', 1, { suspended: true });
      },
      {},
    ],
    [
      'the partition is only observed',
      'observed',
      () => db.query(`INSERT INTO partition_modes (partition, mode) VALUES ('p', 'observe')`),
      {},
    ],
    [
      'an operator turns it off for the queue or one above',
      'switched-off',
      () =>
        db.query(
          `INSERT INTO setting_overrides (partition, queue, setting, value, set_by, set_at) VALUES ('p', 'root', 'foresight', '"off"', 'ann', now())`,
        ),
      {},
    ],
    ['it is turned off in the settings', 'switched-off', async () => {}, { foresight: 'off' }],
    [
      'the configuration turns it off',
      'switched-off',
      () => db.query(`UPDATE queues SET properties = '{"curtail.foresight": "off"}' WHERE path = 'root.a'`),
      {},
    ],
  ])('ends when %s', async (_, code, change, given) => {
    await check();
    await news();
    await change();
    await check(given);
    expect(await news()).toEqual([`etl withdrawn: ${code}`]);
    await check(given);
    expect(await news()).toEqual([]);
    expect(await rows()).toEqual([]);
    // Owners who are not notified are no plan without victims.
    expect(await plannedAt()).toEqual(code === 'suspended' ? [] : [null]);
  });

  it('keeps no time of a plan that was made for another clock', async () => {
    await check();
    expect(await plannedAt()).toEqual([expect.any(Date)]);
    await endClock(cancelled('operator'));
    await setClock('e-2', 2);
    await check({ mostVictims: 1 });
    expect(await plannedAt()).toEqual([null]);
  });

  it('is given for a clock with just the least delay, also a moment after its start', async () => {
    await check({ foresightLeastSeconds: 3600 });
    expect(await news()).toEqual(['etl new: etl-5,etl-4']);
  });

  it('is not given for clocks that start with less', async () => {
    await check({ foresightLeastSeconds: 3601 });
    expect(await news()).toEqual([]);
    expect(await db.query('SELECT FROM foresights')).toEqual([]);
  });

  it('stays as it was while the cluster is not known, says so, and is tried again soon', async () => {
    await check();
    await news();
    const silent = new SimulatedCluster(db);
    silent.snapshot = async () => {
      throw new InventoryUnknown({
        code: 'silent',
        message: 'no report for 90 s',
        remedy: 'start it',
      } as never);
    };
    const [fault] = await check({}, silent);
    expect(fault).toContain('no report for 90 s');
    expect(await news()).toEqual([]);
    const [row] = await db.query<object[]>(
      `SELECT fault, extract(epoch FROM next_check_at - now())::int AS "inSeconds" FROM foresights`,
    );
    expect(row).toEqual({ fault, inSeconds: 30 });
    expect(await rows()).toHaveLength(1);
    await check();
    expect(await db.query('SELECT fault FROM foresights')).toEqual([{ fault: null }]);
  });

  it('is recorded by the process alone that has taken the clock last', async () => {
    await syncWithClocks(db, 60);
    const first = (await takeDueCheck(db))!;
    await db.query('UPDATE foresights SET next_check_at = now()');
    const second = (await takeDueCheck(db))!;
    const clocks = new CheckClock(db, new SimulatedCluster(db), settings);
    await clocks.check(first);
    expect(await news()).toEqual([]);
    await clocks.check(second);
    expect(await news()).toEqual(['etl new: etl-5,etl-4']);
  });

  it('is checked again at the interval, and a last time a minute before the clock is due', async () => {
    const secondsToCheck = async (given: Partial<ForesightSettings>) => {
      await check(given);
      const [row] = await db.query<{ seconds: number }[]>(
        'SELECT extract(epoch FROM next_check_at - now())::float8 AS seconds FROM foresights',
      );
      return row!.seconds;
    };
    expect(await secondsToCheck({})).toBeCloseTo(300, -1);
    const [{ left }] = await db.query<[{ left: number }]>(
      'SELECT extract(epoch FROM $1::timestamptz - now())::float8 AS left',
      [dueAt],
    );
    expect(await secondsToCheck({ foresightSeconds: 86_400 })).toBeCloseTo(left - 60, -1);
  });

  describe('at the interval', () => {
    let cluster: SimulatedCluster & { assertKnown?: () => Promise<void> };
    let plans: number;
    beforeEach(async () => {
      await db.query(
        `INSERT INTO partitions (partition, digest, format, body, quota_preemption_enabled, policies, applied_at, version)
         VALUES ('p', '', 'yunikorn', '', true, '{}', now() - interval '1 hour', 1)
         ON CONFLICT (partition) DO UPDATE SET applied_at = excluded.applied_at`,
      );
      plans = 0;
      cluster = new SimulatedCluster(db);
      const { snapshot } = cluster;
      cluster.snapshot = (scope) => {
        plans++;
        return snapshot.call(cluster, scope);
      };
      await db.query(`DELETE FROM simulated_allocations WHERE id IN ('etl-1', 'etl-2')`);
      await whole();
      plans = 0;
    });

    /** The checks that are due, as `Foresee` makes them. */
    async function whole(): Promise<(string | undefined)[]> {
      const clocks = new CheckClock(db, cluster, settings);
      await syncWithClocks(db, settings.foresightLeastSeconds);
      await new QuietClocks(db, cluster, settings).pass();
      const faults: (string | undefined)[] = [];
      for (let taken = await takeDueCheck(db); taken; taken = await takeDueCheck(db))
        faults.push(await clocks.check(taken));
      return faults;
    }
    const interval = () => db.query('UPDATE foresights SET next_check_at = now()');
    const nextInSeconds = async () => {
      const [row] = await db.query<{ seconds: number }[]>(
        'SELECT round(extract(epoch FROM next_check_at - now()))::float8 AS seconds FROM foresights',
      );
      return row!.seconds;
    };

    it('makes no plan for a queue that is still within its quota, and says that it was checked', async () => {
      await db.query(`UPDATE foresights SET checked_at = now() - interval '5 minutes'`);
      const [before] = await plannedAt();
      await interval();
      expect(await whole()).toEqual([]);
      const [after] = await plannedAt();
      expect([plans, after! > before!, await nextInSeconds()]).toEqual([0, true, 300]);
    });

    it('still makes the last check a minute before the clock is due', async () => {
      dueAt = new Date(Date.now() + 180_000).toISOString();
      await setClock('e-1', 2);
      await whole();
      plans = 0;
      await interval();
      await whole();
      expect(plans).toBe(0);
      expect(await nextInSeconds()).toBeGreaterThan(100);
      expect(await nextInSeconds()).toBeLessThan(125);
    });

    const plansWhen: [string, () => Promise<unknown>][] = [
      ['the queue has come above its quota', () => work('web', 'ben', 1)],
      [
        'the max is a share of the cluster',
        () =>
          db.query(
            `UPDATE clocks SET state = jsonb_set(state::jsonb, '{values}', '{"max":null,"maxShare":"1/2","delayMs":3600000}')::json`,
          ),
      ],
    ];
    it.each(plansWhen)('plans when %s', async (_what, change) => {
      await change();
      await interval();
      await whole().catch(() => {});
      expect(plans).toBe(1);
    });

    const told: (typeof plansWhen)[number] = [
      'its owners know of something',
      () =>
        db.query(
          `INSERT INTO foreseen_owners (partition, queue, application, victims, allocations, digest, resources, rule, reason, due_at, since,
             notified_at, checks, needs_approval)
           VALUES ('p', 'root.a', 'etl', 1, '[]', '', '{}', '', '', now(), now(), now(), 1, false)`,
        ),
    ];

    describe.each<[string, () => Promise<unknown>]>([
      [
        'an operator has changed something',
        () => db.query(`INSERT INTO stream_heads (stream, version, from_version) VALUES ('control-p', 1, 1)`),
      ],
      ['another configuration is in force', () => db.query('UPDATE partitions SET applied_at = now()')],
      ['a planner has started', () => checkAll(db)],
    ])('when %s', (_what, happen) => {
      it('makes no plan for a queue within its quota', async () => {
        await db.query(`UPDATE foresights SET checked_at = NULL, planned = 'other', fault = 'none'`);
        await interval();
        await happen();
        expect(await whole()).toEqual([]);
        expect([plans, await plannedAt()]).toEqual([0, [expect.any(Date)]]);
        expect(await nextInSeconds()).toBeGreaterThan(60);
        expect(await db.query('SELECT fault, planned FROM foresights')).toEqual([
          { fault: null, planned: null },
        ]);
      });

      it.each([...plansWhen, told])('plans once if %s', async (_why, change) => {
        await change();
        await interval();
        await happen();
        await whole().catch(() => {});
        await whole().catch(() => {});
        expect(plans).toBe(1);
      });
    });

    const setAgain = () => setClock('e-2', 2);

    it('makes no plan for a new clock of a queue within its quota either', async () => {
      await setAgain();
      expect(await whole()).toEqual([]);
      const [row] = await db.query<object[]>('SELECT enforcement, generation, fault, more FROM foresights');
      expect(row).toEqual({ enforcement: 'e-2', generation: 2, fault: null, more: 0 });
      expect([plans, await plannedAt()]).toEqual([0, [expect.any(Date)]]);
      expect(await nextInSeconds()).toBeGreaterThan(60);
    });

    it('records once for all new clocks that the cluster is unknown', async () => {
      cluster.assertKnown = () => Promise.reject(new InputError('inventory', 'the scheduler is silent'));
      await setAgain();
      expect(await whole()).toEqual([]);
      const [row] = await db.query<object[]>('SELECT enforcement, fault, checked_at FROM foresights');
      expect(row).toEqual({
        enforcement: 'e-2',
        fault: expect.stringContaining('the scheduler is silent'),
        checked_at: null,
      });
      expect([plans, await nextInSeconds()]).toEqual([0, 30]);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['its queue is above its quota', () => work('web', 'ben', 1)],
      [
        'a queue has a share of the cluster',
        () => db.query(`UPDATE queues SET cluster_share = '{"max":"1/2"}'`),
      ],
    ])('plans for a new clock when %s', async (_what, change) => {
      await change();
      await setAgain();
      await whole().catch(() => {});
      expect(plans).toBe(1);
    });

    it.each<[string, () => Promise<unknown>]>([
      [
        'the partition is only observed',
        () => db.query(`INSERT INTO partition_modes (partition, mode) VALUES ('p', 'observe')`),
      ],
      [
        'advance notice is switched off',
        () => db.query(`UPDATE queues SET properties = '{"curtail.foresight": "off"}' WHERE path = 'root.a'`),
      ],
    ])('says of a new clock that nothing is foreseen when %s', async (_what, change) => {
      await change();
      await setAgain();
      await whole();
      expect(await plannedAt()).toEqual([null]);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['a planner has started', () => checkAll(db)],
      ['the clock was set', setAgain],
    ])('makes no plan once a cluster is known that was unknown when %s', async (_what, happen) => {
      cluster.assertKnown = () => Promise.reject(new InputError('inventory', 'the scheduler is silent'));
      await happen();
      expect(await whole()).toEqual([]);
      cluster.assertKnown = () => Promise.resolve();
      await interval();
      expect(await whole()).toEqual([]);
      expect([plans, await plannedAt()]).toEqual([0, [expect.any(Date)]]);
      expect(await db.query('SELECT fault FROM foresights')).toEqual([{ fault: null }]);
      expect(await nextInSeconds()).toBeGreaterThan(60);
    });

    it.each([...plansWhen, told])('plans once a cluster is known if %s', async (_what, change) => {
      cluster.assertKnown = () => Promise.reject(new InputError('inventory', 'the scheduler is silent'));
      await checkAll(db);
      await whole();
      cluster.assertKnown = () => Promise.resolve();
      await change();
      await interval();
      await whole().catch(() => {});
      expect(plans).toBe(1);
    });

    it('records once for all clocks of another configuration that the cluster is unknown', async () => {
      cluster.assertKnown = () => Promise.reject(new InputError('inventory', 'the scheduler is silent'));
      await interval();
      await db.query('UPDATE partitions SET applied_at = now()');
      expect(await whole()).toEqual([]);
      const [row] = await db.query<object[]>('SELECT fault FROM foresights');
      expect(row).toEqual({ fault: expect.stringContaining('the scheduler is silent') });
      expect([plans, await nextInSeconds()]).toEqual([0, 30]);
    });

    it('checks clocks of another configuration in turn, so that others are not held back', async () => {
      await work('web', 'ben', 1);
      await interval();
      await db.query('UPDATE partitions SET applied_at = now()');
      await db.query(
        `INSERT INTO foresights (partition, queue, generation, commands, next_check_at)
         VALUES ('q', 'root.b', 1, 0, now() - interval '1 minute')`,
      );
      await new QuietClocks(db, cluster, settings).pass();
      const turns = [await takeDueCheck(db), await takeDueCheck(db), await takeDueCheck(db)];
      expect(turns.map((taken) => taken?.partition)).toEqual(['q', 'p', undefined]);
    });

    it.each<[string, string]>([
      [
        'switches advance notice off',
        `UPDATE queues SET properties = '{"curtail.foresight": "off"}' WHERE path = 'root.a'`,
      ],
      ['is only observed', `INSERT INTO partition_modes (partition, mode) VALUES ('p', 'observe')`],
    ])('says that nothing is foreseen when another configuration %s', async (_what, statement) => {
      await db.query(statement);
      await db.query('UPDATE partitions SET applied_at = now()');
      await interval();
      await whole();
      expect(await plannedAt()).toEqual([null]);
    });

    describe('of a queue above its quota', () => {
      const version = async () =>
        (await db.query<[{ planned: string }]>('SELECT planned FROM foresights'))[0].planned;
      beforeEach(async () => {
        await work('web', 'ben', 1);
        await interval();
        await whole();
        plans = 0;
      });

      it('makes no plan while its work is the same, and counts the check for its owners', async () => {
        expect(await version()).toEqual(expect.any(String));
        await interval();
        expect(await whole()).toEqual([]);
        expect([plans, await rows()]).toEqual([
          0,
          [expect.objectContaining({ application: 'etl', checks: 2 })],
        ]);
      });

      const change = (statement: string) => () => db.query(statement);
      it.each<[string, () => Promise<unknown>]>([
        ['an allocation has started', () => work('sql', 'cid', 1)],
        ['one has gone', change(`DELETE FROM simulated_allocations WHERE id = 'web-1'`)],
        ['one has changed', change(`UPDATE simulated_allocations SET priority = 7 WHERE id = 'web-1'`)],
        [
          'one is leaving',
          change(`UPDATE simulated_allocations SET gone_at = now() + interval '1 hour' WHERE id = 'web-1'`),
        ],
        [
          'its application has changed',
          change(`UPDATE simulated_applications SET priority = 7 WHERE id = 'web'`),
        ],
        ['a node has come', change(`INSERT INTO simulated_nodes (partition, id) VALUES ('p', 'n')`)],
        [
          'a budget has come',
          change(`INSERT INTO simulated_budgets (partition, id, allowed) VALUES ('p', 'b', 1)`),
        ],
        [
          'a run is under way',
          change(
            `INSERT INTO planned_victims (partition, enforcement, allocation, uid) VALUES ('p', 'e-9', 'x', 'x')`,
          ),
        ],
      ])('plans when %s', async (_what, make) => {
        await make();
        await interval();
        await whole();
        expect(plans).toBe(1);
      });

      it('plans each time where the plan depends on the time', async () => {
        await db.query(
          `UPDATE queues SET properties = '{"quota.preemption.min.run": "1h"}' WHERE path = 'root.a'`,
        );
        await interval();
        await db.query('UPDATE foresights SET planned = NULL');
        await whole();
        expect(await version()).toBe(null);
        await interval();
        await whole();
        expect(plans).toBe(2);
      });

      it('plans when work beside it changes that a floor above it counts', async () => {
        await db.query(`UPDATE queues SET guaranteed = '{"memory":10}' WHERE path = 'root'`);
        await interval();
        await db.query('UPDATE foresights SET planned = NULL');
        await whole();
        plans = 0;
        await place(db, partition, {
          applications: [{ id: 'other', queue: 'root.b', user: 'dan' }],
          allocations: [
            {
              id: 'other-1',
              application: 'other',
              queue: 'root.b',
              resources: { memory: 1 },
              startedAt: '2026-01-01T00:00:00Z',
            },
          ],
        });
        await interval();
        await whole();
        expect(plans).toBe(1);
      });
    });

    it('retries an unknown cluster once for all its clocks, as long as the reason is the same', async () => {
      const unknown = (why: string) => {
        cluster.assertKnown = () => Promise.reject(new InputError('inventory', why));
        cluster.snapshot = () => {
          plans++;
          return Promise.reject(new InputError('inventory', why));
        };
      };
      unknown('the scheduler is silent');
      await interval();
      const [fault] = await whole();
      expect([fault, plans]).toEqual([expect.stringContaining('the scheduler is silent'), 1]);
      await db.query(`UPDATE foresights SET next_check_at = now()`);
      expect([await whole(), plans, await nextInSeconds()]).toEqual([[], 1, 30]);
      unknown('reports are unread');
      await db.query(`UPDATE foresights SET next_check_at = now()`);
      expect([(await whole()).length, plans]).toEqual([1, 2]);
    });
  });
});
