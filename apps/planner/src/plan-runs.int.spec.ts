import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { place, SimulatedCluster, takePlanningSnapshot } from '#clusters';
import type { EventData, QuotaDecreaseSettings } from '#contracts';
import { appendAlone, type KnownEvent, known, planStream, readPage } from '#event-store';
import { EventNotReady } from '#messaging';
import { addPlannedVictims } from '#runs';
import { collectGarbage } from '../../../test/support/collect-garbage.js';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { PlanRuns } from './plan-runs.js';

const values = { max: { memory: 60 }, delayMs: 1000 };

describe('the planner', () => {
  let db: DataSource;
  let planner: PlanRuns;

  withMigratedDatabase((opened) => {
    db = opened;
    planner = plannerWith({ mostAllocations: 5, mostVictims: 3 });
  });
  beforeEach(async () => {
    for (const table of [
      'events',
      'snapshots',
      'clocks',
      'queues',
      'planned_victims',
      'recent_victims',
      'simulated_applications',
    ]) {
      await db.query(`DELETE FROM ${table}`);
    }
    await db.query(
      `INSERT INTO queues (partition, path, max, guaranteed, delay_ms, parent)
       VALUES ('p', 'root', NULL, NULL, 0, true), ('p', 'root.p', '{"memory":100}', NULL, 0, true),
              ('p', 'root.p.one', '{"memory":100}', NULL, 0, false)`,
    );
    await place(db, 'p', {
      applications: [{ id: 'one', queue: 'root.p.one' }],
      allocations: [1, 2, 3, 4, 5].map((i) => ({
        id: `one-${i}`,
        application: 'one',
        queue: 'root.p.one',
        resources: { memory: 20 },
        startedAt: `2026-01-01T00:0${i}:00Z`,
      })),
    });
  });

  const plannerWith = (
    limits: { mostAllocations: number; mostVictims: number },
    cluster = new SimulatedCluster(db),
    policy: QuotaDecreaseSettings = {},
  ) =>
    new PlanRuns(db, cluster, {
      policy,
      snapshotRetentionDays: 1,
      mode: undefined,
      defaultMode: 'enforce',
      leaseMs: 40,
      ...limits,
    });

  /** A run that has fired: its lock is held, and its event is in the log. */
  async function started(queue: string, fencingToken: number): Promise<KnownEvent<'EnforcementStarted'>> {
    const enforcement = `e-${queue}`;
    await db.query(
      `INSERT INTO clocks (partition, queue, version, state, running_enforcement, fencing_token)
       VALUES ('p', $1, 1, '{}', $2, $3)`,
      [queue, enforcement, fencingToken],
    );
    const at = '2026-01-02T00:00:00.000Z';
    const data: EventData<'EnforcementStarted'> = {
      ...{ partition: 'p', queue, enforcement, generation: 1, fencingToken, dueAt: at, startedAt: at },
      ...{ lateMs: 0, values, notices: [] },
    };
    await appendAlone(db, {
      stream: `schedule-p/${queue}`,
      partition: 'p',
      expectedVersion: 0,
      events: [{ event: { name: 'EnforcementStarted', data }, at: new Date(at), key: queue }],
    });
    const { events } = await readPage(db, { transactionId: '0', position: '0' }, { limit: 10 });
    return known(events.at(-1)!) as KnownEvent<'EnforcementStarted'>;
  }

  const planIt = async (event: KnownEvent, by = planner) => {
    const effects = await by.handle([event]);
    await db.transaction(async (tx) => {
      await effects?.(tx);
    });
  };
  const planOf = async (queue: string) => {
    const rows = await db.query<{ data: EventData<'PlanComputed'> }[]>(
      'SELECT data FROM events WHERE stream = $1',
      [planStream(`e-${queue}`)],
    );
    return rows[0]?.data.plan;
  };

  it('waits with a run until those that fired before it further down have their plans', async () => {
    const leaf = await started('root.p.one', 1);
    const parent = await started('root.p', 2);
    await expect(planner.handle([parent])).rejects.toThrow(EventNotReady);
    await planIt(leaf);
    await planIt(parent);
    expect(await planOf('root.p')).toMatchObject({ outcome: 'not-needed' });
  });

  it('does not wait for a run that fired later', async () => {
    await started('root.p.one', 2);
    await planIt(await started('root.p', 1));
    expect(await planOf('root.p')).toMatchObject({ outcome: 'satisfied' });
  });

  it('ignores a run that has lost its lock, and does not count its victims', async () => {
    const stale = await started('root.p.one', 1);
    await db.query('DELETE FROM clocks');
    await db.query(
      "INSERT INTO planned_victims (enforcement, partition, allocation) VALUES ('e-before', 'p', 'one-1'), ('e-before', 'p', 'one-2')",
    );
    const next = await started('root.p', 2);
    const effects = await planner.handle([stale, next]);
    await db.transaction(async (tx) => {
      await effects?.(tx);
    });
    expect(await planOf('root.p.one')).toBeUndefined();
    expect(await planOf('root.p')).toMatchObject({ outcome: 'satisfied', inFlight: {} });
    expect(await db.query("SELECT 1 FROM planned_victims WHERE enforcement = 'e-root.p.one'")).toEqual([]);
  });

  it('records nothing for a run that loses its lock while it is planned', async () => {
    const run = await started('root.p', 1);
    const effects = await planner.handle([run]);
    await db.query("UPDATE clocks SET running_enforcement = 'e-next', fencing_token = 2");
    await db.transaction(async (tx) => {
      await effects?.(tx);
    });
    expect(await planOf('root.p')).toBeUndefined();
    expect(await db.query('SELECT 1 FROM planned_victims')).toEqual([]);
  });

  it('keeps the lock while a plan takes long', async () => {
    const run = await started('root.p.one', 1);
    await db.query("UPDATE clocks SET lease_until = now() - interval '1 hour'");
    const cluster = new SimulatedCluster(db);
    const leaseOf = async (): Promise<{ isOver: boolean }[]> =>
      db.query('SELECT lease_until < now() - interval \'1 minute\' AS "isOver" FROM clocks');
    const snapshot = cluster.snapshot.bind(cluster);
    cluster.snapshot = async (scope) => {
      while ((await leaseOf())[0]?.isOver);
      return snapshot(scope);
    };
    await planIt(run, plannerWith({ mostAllocations: 5, mostVictims: 3 }, cluster));
    expect(await planOf('root.p.one')).toMatchObject({ outcome: 'satisfied' });
  });

  it('lets go of a snapshot as soon as it is packed', async () => {
    const cluster = new SimulatedCluster(db);
    const snapshot = cluster.snapshot.bind(cluster);
    let allocations: WeakRef<object> | undefined;
    cluster.snapshot = async (scope) => {
      const taken = await snapshot(scope);
      allocations = new WeakRef(taken.allocations);
      return taken;
    };
    const run = await started('root.p.one', 1);
    const effects = await plannerWith({ mostAllocations: 5, mostVictims: 3 }, cluster).handle([run]);
    // As often as it takes: a snapshot that is kept ends the test by its time limit.
    while (allocations!.deref()) {
      await delay(10);
      collectGarbage();
    }
    expect(allocations!.deref()).toBeUndefined();
    await db.transaction(async (tx) => {
      await effects?.(tx);
    });
    expect(await planOf('root.p.one')).toMatchObject({ outcome: 'satisfied' });
  });

  it('stores the victims of a long plan in several statements, all or none', async () => {
    const victims = Array.from({ length: 5001 }, (_, i) => ({
      ...{ allocation: `one-${i}`, application: 'one', queue: 'root.p.one', resources: { memory: 20 } },
    }));
    const add = (planned: typeof victims) =>
      db.transaction((tx) =>
        addPlannedVictims(
          tx,
          [{ enforcement: 'e-long', partition: 'p', victims: planned, owners: undefined }],
          { areNew: true },
        ),
      );
    const stored = () => db.query('SELECT DISTINCT allocation FROM planned_victims');
    await expect(add([...victims, victims[0]!])).rejects.toThrow('duplicate key');
    expect(await stored()).toEqual([]);
    await add(victims);
    expect(await stored()).toHaveLength(5001);
  });

  it.each([
    [
      'allocations',
      { mostAllocations: 4, mostVictims: 3 },
      /has more than 4 allocations, .* raise CURTAIL_MOST_ALLOCATIONS/,
    ],
    [
      'victims',
      { mostAllocations: 5, mostVictims: 1 },
      /would have 2 victims, .* in steps, or raise CURTAIL_MOST_ALLOCATIONS/,
    ],
  ])('makes no plan of more %s than it may, and suggests what to do', async (_, limits, message) => {
    await planIt(await started('root.p.one', 1), plannerWith(limits));
    const written = await db.query('SELECT type, data FROM events WHERE stream = $1', [
      planStream('e-root.p.one'),
    ]);
    expect(written).toMatchObject([
      {
        type: 'io.curtail.plan.failed.v1',
        data: { code: 'too-large', message: expect.stringMatching(message) },
      },
    ]);
    expect(await db.query('SELECT FROM snapshots')).toEqual([]);
    expect(await db.query('SELECT FROM planned_victims')).toEqual([]);
  });

  it('records why it has no plan for a run that crashes planners, once, while the run holds its lock', async () => {
    const [run, stale] = [await started('root.p.one', 1), await started('root.p', 2)];
    await db.query("UPDATE clocks SET fencing_token = 3 WHERE queue = 'root.p'");
    for (const event of [run, stale, run])
      await db.transaction((tx) => planner.givenUp({ tx, event, reason: '3 processes began' }));
    const written = await db.query("SELECT stream, data FROM events WHERE stream LIKE 'plan-%'");
    expect(written).toMatchObject([
      {
        stream: planStream('e-root.p.one'),
        data: { code: 'too-large', message: expect.stringMatching(/^3 processes began: lower the quota/) },
      },
    ]);
  });

  it('spares work below the minimum run time that the configuration sets for a queue above it', async () => {
    await db.query(
      `UPDATE queues SET properties = '{"quota.preemption.min.run": "1000000h"}' WHERE path = 'root.p'`,
    );
    await planIt(await started('root.p', 1));
    const plan = (await planOf('root.p'))!;
    expect(plan).toMatchObject({ outcome: 'impossible', victims: [] });
    expect(plan.notices.map(({ code }) => code)).toContain('too-young');
  });

  it('takes no more than the limit that the configuration sets for a queue', async () => {
    await db.query(
      `UPDATE queues SET properties = '{"quota.preemption.limit": {"memory": "20"}}' WHERE path = 'root.p.one'`,
    );
    await planIt(await started('root.p', 1));
    const plan = (await planOf('root.p'))!;
    expect(plan.victims).toHaveLength(1);
    expect(plan.notices.map(({ code }) => code)).toContain('queue-limit');
  });

  describe('with an owner budget', () => {
    const budget = { per: 'user' as const, victims: 3, seconds: 3600 };
    const limits = { mostAllocations: 100, mostVictims: 100 };
    const counting = (budgets = [budget]) => plannerWith(limits, undefined, { ownerBudgets: budgets });
    const victimsOf = async (queue: string) => (await planOf(queue))!.victims.length;
    /** Evicted so many seconds ago. */
    const evicted = (allocation: string, owner: string, seconds: number) =>
      db.query(
        `INSERT INTO recent_victims (enforcement, allocation, partition, application, queue, owner, evicted_at)
         VALUES ('e-before', $1, 'p', 'gone', 'root.gone', $2, now() - make_interval(secs => $3))`,
        [allocation, owner, seconds],
      );

    beforeEach(async () => {
      await db.query('DELETE FROM setting_overrides');
      await db.query(`UPDATE simulated_applications SET "user" = 'ann'`);
      await db.query(
        `INSERT INTO queues (partition, path, max, guaranteed, delay_ms, parent)
         VALUES ('p', 'root.q', '{"memory":100}', NULL, 0, false)`,
      );
      await place(db, 'p', {
        applications: [{ id: 'two', queue: 'root.q', user: 'ann' }],
        allocations: [1, 2, 3, 4, 5].map((i) => ({
          id: `two-${i}`,
          application: 'two',
          queue: 'root.q',
          resources: { memory: 20 },
          startedAt: `2026-01-01T00:0${i}:00Z`,
        })),
      });
    });

    it('counts the victims of its owners within the window, and no others', async () => {
      await evicted('a', 'ann', 60);
      await evicted('b', 'ann', 3000);
      await evicted('c', 'ann', 4000);
      await evicted('d', 'bob', 60);
      await planIt(await started('root.p', 1), counting());
      const plan = (await planOf('root.p'))!;
      expect(plan.victims).toHaveLength(1);
      expect(plan.notices.map(({ code }) => code)).toContain('owner-budget');
    });

    it('counts the victims that open runs have planned', async () => {
      await planIt(await started('root.p', 1), counting());
      expect(await victimsOf('root.p')).toBe(2);
      await planIt(await started('root.q', 2), counting());
      expect(await victimsOf('root.q')).toBe(1);
    });

    it('counts the victims of the plans before it in its batch', async () => {
      const both = [await started('root.p', 1), await started('root.q', 2)];
      const effects = await counting().handle(both);
      await db.transaction(async (tx) => {
        await effects?.(tx);
      });
      expect([await victimsOf('root.p'), await victimsOf('root.q')]).toEqual([2, 1]);
    });

    it('counts by those of the nearest queue that has some, an operator’s before a property', async () => {
      await evicted('a', 'ann', 60);
      await evicted('b', 'ann', 60);
      const property = (victims: number) => JSON.stringify([{ ...budget, victims }]);
      await db.query(
        `INSERT INTO queues (partition, path, max, guaranteed, delay_ms, parent, properties)
         VALUES ('p', 'root', NULL, NULL, 0, true, jsonb_build_object('curtail.ownerBudgets', $1::jsonb))
         ON CONFLICT (partition, path) DO UPDATE SET properties = EXCLUDED.properties`,
        [property(3)],
      );
      await planIt(await started('root.p', 1), plannerWith(limits, undefined, {}));
      expect(await victimsOf('root.p')).toBe(1);
      await db.query(
        `INSERT INTO setting_overrides (partition, queue, setting, value, set_by, set_at)
         VALUES ('p', 'root.q', 'ownerBudgets', $1, 'op', now())`,
        [property(5)],
      );
      await planIt(await started('root.q', 2), plannerWith(limits, undefined, {}));
      expect(await victimsOf('root.q')).toBe(2);
    });

    it('counts the victims of its own plan alone in 0 seconds', async () => {
      const perPlan = counting([{ ...budget, victims: 1, seconds: 0 }]);
      await evicted('a', 'ann', 60);
      await planIt(await started('root.p', 1), perPlan);
      await planIt(await started('root.q', 2), perPlan);
      expect([await victimsOf('root.p'), await victimsOf('root.q')]).toEqual([1, 1]);
    });

    it('records in its snapshot what it counted, and nothing without a budget', async () => {
      await evicted('a', 'ann', 60);
      const taken = { partition: 'p', queue: 'root.p', mostAllocations: 100 };
      const counted = await takePlanningSnapshot(db, new SimulatedCluster(db), {
        ...taken,
        ownerBudgets: [budget],
      });
      expect(counted.recentVictims).toEqual([
        { user: 'ann', application: 'gone', queue: 'root.gone', at: expect.any(String) },
      ]);
      const plain = await takePlanningSnapshot(db, new SimulatedCluster(db), taken);
      expect(plain).not.toHaveProperty('recentVictims');
    });
  });

  it('plans with the max that the run fired with, whatever was saved since', async () => {
    await planIt(await started('root.p.one', 1));
    expect(await planOf('root.p.one')).toMatchObject({ target: { memory: 40 } });
  });
});
