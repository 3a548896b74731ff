import { place, SimulatedCluster } from '@curtail/clusters';
import type { EventData } from '@curtail/contracts';
import {
  appendAlone,
  type KnownEvent,
  known,
  openDatabase,
  planStream,
  readPage,
} from '@curtail/event-store';
import { EventNotReady } from '@curtail/messaging';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { PlanEnforcements } from './plan-enforcements.js';

const values = { max: { memory: 60 }, delayMs: 1000 };

describe('the planner', () => {
  let test: TestDatabase;
  let db: DataSource;
  let planner: PlanEnforcements;

  beforeAll(async () => {
    test = await createMigratedDatabase();
    db = await openDatabase(test.url);
    planner = plannerWith({ mostAllocations: 5, mostVictims: 3 });
  });
  afterAll(async () => {
    await db?.destroy();
    await test?.drop();
  });
  beforeEach(async () => {
    for (const table of [
      'events',
      'snapshots',
      'schedules',
      'queues',
      'planned_victims',
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
  ) =>
    new PlanEnforcements(db, cluster, {
      policy: {},
      snapshotRetentionDays: 1,
      defaultMode: 'enforce',
      leaseMs: 40,
      ...limits,
    });

  /** A run that has fired: its lock is held, and its event is in the log. */
  async function started(queue: string, fencingToken: number): Promise<KnownEvent<'EnforcementStarted'>> {
    const enforcement = `e-${queue}`;
    await db.query(
      `INSERT INTO schedules (partition, queue, version, state, running_enforcement, fencing_token)
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
    const rows: { data: EventData<'PlanComputed'> }[] = await db.query(
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
    await db.query('DELETE FROM schedules');
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
    await db.query("UPDATE schedules SET running_enforcement = 'e-next', fencing_token = 2");
    await db.transaction(async (tx) => {
      await effects?.(tx);
    });
    expect(await planOf('root.p')).toBeUndefined();
    expect(await db.query('SELECT 1 FROM planned_victims')).toEqual([]);
  });

  it('keeps the lock while a plan takes long', async () => {
    const run = await started('root.p.one', 1);
    await db.query("UPDATE schedules SET lease_until = now() - interval '1 hour'");
    const cluster = new SimulatedCluster(db);
    const leaseOf = async (): Promise<{ isOver: boolean }[]> =>
      db.query('SELECT lease_until < now() - interval \'1 minute\' AS "isOver" FROM schedules');
    const snapshot = cluster.snapshot.bind(cluster);
    cluster.snapshot = async (scope) => {
      while ((await leaseOf())[0]?.isOver);
      return snapshot(scope);
    };
    await planIt(run, plannerWith({ mostAllocations: 5, mostVictims: 3 }, cluster));
    expect(await planOf('root.p.one')).toMatchObject({ outcome: 'satisfied' });
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
      /would have 2 victims, .* in steps, or raise CURTAIL_MOST_VICTIMS/,
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
    await db.query("UPDATE schedules SET fencing_token = 3 WHERE queue = 'root.p'");
    for (const event of [run, stale, run])
      await db.transaction((tx) => planner.givenUp(tx, event, '3 processes began'));
    const written = await db.query("SELECT stream, data FROM events WHERE stream LIKE 'plan-%'");
    expect(written).toMatchObject([
      {
        stream: planStream('e-root.p.one'),
        data: { code: 'too-large', message: expect.stringMatching(/^3 processes began: lower the quota/) },
      },
    ]);
  });

  it('plans with the max that the run fired with, whatever was saved since', async () => {
    await planIt(await started('root.p.one', 1));
    expect(await planOf('root.p.one')).toMatchObject({ target: { memory: 40 } });
  });
});
