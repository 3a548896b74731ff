import { place, SimulatedCluster } from '@curtail/clusters';
import type { DomainEvent, EventData } from '@curtail/contracts';
import { append, enforcementStream, openDatabase, planStream } from '@curtail/event-store';
import { addPlannedVictims, turnOfOwnerBudgets } from '@curtail/runs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { CarryOut } from './carry-out.js';
import { EvictionGates } from './eviction-gate.js';
import { FindOwnerFacts } from './owner-facts.js';
import { FindQueueFacts } from './queue-facts.js';
import { RoundSteps } from './rounds/round-steps.js';
import { ReadRunControl } from './run-control.js';
import { OpenRuns } from './runs/open-runs.js';
import { RecordTogether } from './runs/record-together.js';
import type { ExecutorSettings } from './settings/executor-settings.js';
import { FindVictimFacts } from './victim-facts.js';

const victims = 640;
const allocations = 4000;
const ids = { partition: 'p', queue: 'root.a', enforcement: 'e-1' };
const settings: ExecutorSettings = {
  defaultMode: 'enforce',
  approveAboveVictims: victims,
  approveAbovePercent: 100,
  victimsPerSecond: 10_000,
  graceSeconds: 60,
  deadlineSeconds: 3600,
  tries: 1,
  leaseMs: 60_000,
  alone: true,
};

describe('a run with many victims', () => {
  let test: TestDatabase;
  let db: DataSource;
  let cluster: SimulatedCluster;
  beforeAll(async () => {
    test = await createMigratedDatabase();
    db = await openDatabase(test.url);
    cluster = new SimulatedCluster(db);
    await db.query(
      `INSERT INTO partitions (partition, digest, format, version, quota_preemption_enabled, applied_at, body)
       VALUES ('p', '', 'yunikorn', 1, true, now(), '')`,
    );
    await db.query(
      `INSERT INTO queues (partition, path, max, guaranteed, delay_ms, parent)
       VALUES ('p', 'root', NULL, NULL, 0, true), ('p', 'root.a', $1, '{"memory":10}', 1000, false)`,
      [{ memory: allocations - victims }],
    );
    await db.query(
      `INSERT INTO schedules (partition, queue, version, state, running_enforcement, fencing_token)
       VALUES ('p', 'root.a', 1, '{}', 'e-1', 7)`,
    );
    await startAgain('e-1');
  });
  afterAll(async () => {
    await db?.destroy();
    await test?.drop();
  });

  /** All allocations run, and a run that evicts the first of them is planned. */
  const startAgain = async (enforcement: string, care: Partial<EventData<'PlanComputed'>> = {}) => {
    await db.query('TRUNCATE simulated_allocations, simulated_applications');
    await db.query("UPDATE schedules SET running_enforcement = $1 WHERE partition = 'p'", [enforcement]);
    await place(db, 'p', {
      applications: [{ id: 'app', queue: 'root.a' }],
      allocations: Array.from({ length: allocations }, (_, i) => ({
        ...{ id: `a-${i + 1}`, application: 'app', queue: 'root.a', resources: { memory: 1 } },
        startedAt: '2026-01-01T00:00:00Z',
      })),
    });
    const { allocations: running } = await cluster.snapshot({ partition: 'p' });
    const uids = new Map(running.map(({ id, uid }) => [id, uid!]));
    await db.transaction((tx) =>
      append(tx, [
        {
          ...{ stream: planStream(enforcement), partition: 'p', expectedVersion: 0 },
          events: [{ event: planOf(enforcement, uids, care), key: 'root.a' }],
        },
      ]),
    );
  };
  const victimsOf = (uids: ReadonlyMap<string, string>) =>
    Array.from({ length: victims }, (_, i) => ({
      ...{ allocation: `a-${i + 1}`, uid: uids.get(`a-${i + 1}`)!, application: 'app', queue: 'root.a' },
      ...{ resources: { memory: 1 }, rank: i + 1, reason: 'It was the youngest.' },
    }));
  const planOf = (
    enforcement: string,
    uids: ReadonlyMap<string, string>,
    care: Partial<EventData<'PlanComputed'>>,
  ): DomainEvent => {
    const data: EventData<'PlanComputed'> = {
      ...{
        ...ids,
        enforcement,
        fencingToken: 7,
        snapshotDigest: '',
        planDigest: '',
        settings: {},
        planSeconds: 0,
      },
      ...{ trigger: { policy: 'quota-decrease', queue: 'root.a' }, takenAt: '2026-01-01T00:00:00.000Z' },
      ...{ max: { memory: allocations - victims }, queueAllocations: allocations },
      queueUsage: { memory: allocations },
      plan: {
        ...{ apiVersion: 'curtail/v1', kind: 'Plan', policy: 'quota-decrease', queue: 'root.a' },
        ...{ outcome: 'satisfied', target: { memory: victims }, inFlight: {}, claimed: { memory: victims } },
        ...{ shortfall: {}, overshoot: {}, collateral: {}, shares: [], notices: [] },
        victims: victimsOf(uids),
      },
      ...care,
    };
    return { name: 'PlanComputed', data };
  };
  function newCarryOut(openRuns: OpenRuns, driver = cluster): CarryOut {
    return new CarryOut(
      ...([db, driver, settings, openRuns] as const),
      new ReadRunControl(db, settings, cluster),
      new FindVictimFacts(cluster),
      new FindOwnerFacts(db),
      new FindQueueFacts(db, cluster),
      new RecordTogether(db, openRuns),
      new RoundSteps(db, cluster),
      new EvictionGates(openRuns, settings),
    );
  }
  /** Counts statements, and the rows that they return. */
  function counting() {
    const real = PostgresQueryRunner.prototype.query;
    const counted = { statements: 0, rows: 0 };
    const spy = jest.spyOn(PostgresQueryRunner.prototype, 'query').mockImplementation(async function (
      this: PostgresQueryRunner,
      ...words: unknown[]
    ) {
      const answer: unknown = await (real as (...words: unknown[]) => Promise<unknown>).apply(this, words);
      counted.statements += 1;
      counted.rows += Array.isArray(answer) ? answer.length : 0;
      return answer;
    } as typeof real);
    return { counted, restore: () => spy.mockRestore() };
  }
  const evicted = async () => {
    const [row] = await db.query<{ count: number }[]>(
      "SELECT count(*)::int AS count FROM events WHERE stream = $1 AND type LIKE '%evicted%'",
      [enforcementStream('e-1')],
    );
    return row!.count;
  };

  it('issues as many statements for each of them as for the first, however often it is released', async () => {
    const openRuns = new OpenRuns(db);
    await db.transaction((tx) => openRuns.add(tx, [{ ...ids, fencingToken: 7 }]));
    const carryOut = newCarryOut(openRuns);
    const { counted, restore } = counting();
    const perVictim: { statements: number; rows: number }[] = [];
    for (let done = 0; done < victims; ) {
      const before = { ...counted };
      const [run] = (await openRuns.claim(1, [])).runs;
      let steps = 0;
      // A page or two at a time.
      const goesOn = await carryOut.advance(run!, () => ++steps > 4);
      if (goesOn !== undefined) await openRuns.release('e-1', 0, { forgetDeaths: true });
      const asked = { statements: counted.statements - before.statements, rows: counted.rows - before.rows };
      const now = await evicted();
      counted.statements -= 1;
      counted.rows -= 1;
      expect(now).toBeGreaterThan(done);
      perVictim.push({ statements: asked.statements / (now - done), rows: asked.rows / (now - done) });
      done = now;
    }
    restore();
    // The first opens the run, the last ends it.
    const [, first, ...later] = perVictim.slice(0, -1);
    for (const { statements, rows } of later) {
      expect(statements).toBeLessThanOrEqual(first!.statements * 1.3);
      expect(rows).toBeLessThanOrEqual(first!.rows * 1.3);
    }
    // A page of them shares its statements.
    expect(first!.statements).toBeLessThan(1);
    expect(first!.rows).toBeLessThan(6);
    expect((await cluster.usage('p', ['root.a'])).get('root.a')).toEqual({
      usage: { memory: allocations },
      inFlight: { memory: victims },
    });
  });

  it('requests nothing of a page any more once a stop is on record', async () => {
    await startAgain('e-2');
    const openRuns = new OpenRuns(db);
    await db.transaction((tx) => openRuns.add(tx, [{ ...ids, enforcement: 'e-2', fencingToken: 7 }]));
    // The driver takes the requests of a page one after the other; the stop comes after the tenth.
    let requests = 0;
    const slow = Object.create(cluster) as SimulatedCluster;
    let before: Promise<unknown> = Promise.resolve();
    slow.evict = (request, gate) => {
      const answer = before.then(async () => {
        if (requests++ === 10) {
          await db.query(
            "INSERT INTO kill_switches (partition, queue, set_by, set_at) VALUES ('p', '', 'ada', now())",
          );
        }
        return cluster.evict(request, gate);
      });
      before = answer;
      return answer;
    };
    const [run] = (await openRuns.claim(1, [])).runs;
    await newCarryOut(openRuns, slow).advance(run!, () => false);
    const counts = await db.query<{ type: string; count: number }[]>(
      `SELECT split_part(type, '.', 4) AS type, count(*)::int AS count FROM events
       WHERE stream = $1 AND type LIKE '%.victim.%' GROUP BY 1 ORDER BY 1`,
      [enforcementStream('e-2')],
    );
    expect(counts).toEqual([
      { type: 'evicted', count: 10 },
      { type: 'ordered', count: 64 },
      { type: 'spared', count: victims - 10 },
    ]);
    const carriedOut = await db.query<unknown[]>(
      "SELECT FROM simulated_evictions WHERE eviction_id LIKE 'e-2-%'",
    );
    expect(carriedOut).toHaveLength(10);
    await db.query('DELETE FROM kill_switches');
  });

  describe('whose plan has an owner budget', () => {
    const owners = [{ user: 'ann', applications: ['app'] }];
    const ownerBudgets = [{ per: 'user', victims: 100, seconds: 3600 }];

    beforeEach(() => db.query('TRUNCATE planned_victims, recent_victims'));

    /** Carries a run out to its end. */
    const carriedOut = async (enforcement: string) => {
      await startAgain(enforcement, { settings: { ownerBudgets }, owners });
      const openRuns = new OpenRuns(db);
      await db.transaction(async (tx) => {
        const planned = { enforcement, partition: 'p', victims: victimsOf(new Map()), owners };
        await turnOfOwnerBudgets(tx, ['p']);
        await addPlannedVictims(tx, [{ ...planned, hasOwnerBudgets: true }]);
        await openRuns.add(tx, [{ ...ids, enforcement, fencingToken: 7 }]);
      });
      const [run] = (await openRuns.claim(1, [])).runs;
      expect(await newCarryOut(openRuns).advance(run!, () => false)).toBeUndefined();
      const rows: { type: string; code: string | null; count: number }[] = await db.query(
        `SELECT split_part(type, '.', 4) AS type, data->>'code' AS code, count(*)::int AS count FROM events
         WHERE stream = $1 AND type LIKE '%.victim.%' AND type NOT LIKE '%ordered%' GROUP BY 1, 2 ORDER BY 1`,
        [enforcementStream(enforcement)],
      );
      return rows;
    };
    const others = (enforcement: string, count: number, countedAt: string | null) =>
      db.query(
        `INSERT INTO planned_victims (enforcement, partition, allocation, application, queue, owner, counted_at)
         SELECT $1, 'p', 'other-' || i, 'other', 'root.b', 'ann', now() + $3::interval FROM generate_series(1, $2::int) AS i`,
        [enforcement, count, countedAt],
      );

    it('evicts no more of an owner than the budget allows, and makes them recent victims', async () => {
      expect(await carriedOut('e-3')).toEqual([
        { type: 'evicted', code: null, count: 100 },
        { type: 'spared', code: 'owner-budget', count: victims - 100 },
      ]);
      const recent: unknown[] = await db.query(
        'SELECT DISTINCT enforcement, owner, application, queue FROM recent_victims',
      );
      expect(recent).toEqual([{ enforcement: 'e-3', owner: 'ann', application: 'app', queue: 'root.a' }]);
      expect(await db.query('SELECT count(*)::int AS count FROM recent_victims')).toEqual([{ count: 100 }]);
      expect(await db.query('SELECT FROM planned_victims')).toEqual([]);
      // A later run of the owner finds the budget used up.
      expect(await carriedOut('e-4')).toEqual([{ type: 'spared', code: 'owner-budget', count: victims }]);
    });

    it('gives way to plans that were recorded before it, not to later ones', async () => {
      await others('e-early', 30, '-1 hour');
      await others('e-without', 20, null);
      await others('e-late', 40, '1 hour');
      expect(await carriedOut('e-5')).toEqual([
        { type: 'evicted', code: null, count: 50 },
        { type: 'spared', code: 'owner-budget', count: victims - 50 },
      ]);
    });
  });
});
