import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { place, SimulatedCluster } from '#clusters';
import type { DomainEvent, EventData, OwnerBudget } from '#contracts';
import { foldRun, initialRunState } from '#enforcement';
import {
  append,
  known,
  operatorStream,
  planStream,
  readStream,
  runStream,
  StreamConflict,
} from '#event-store';
import { addPlannedVictims, countedFor, turnOfOwnerBudgets } from '#runs';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { FindCareFacts } from './care-facts.js';
import { CarryOut } from './carry-out.js';
import { EvictionGates } from './eviction-gate.js';
import { FindOwnerFacts } from './owner-facts.js';
import { PartitionLimitsOfRuns } from './partition-limits.js';
import { RoundSteps } from './rounds/round-steps.js';
import { ReadRunControl } from './run-control.js';
import { FindQueueFacts, RunFacts } from './run-facts.js';
import { LoadRuns } from './runs/load-runs.js';
import { OpenRuns } from './runs/open-runs.js';
import { manyVictims, RecordTogether } from './runs/record-together.js';
import { RunLog } from './runs/run-log.js';
import { SendEvictions } from './send-evictions.js';
import type { ExecutorSettings } from './settings/executor-settings.js';
import { RunTurns } from './turns.js';
import { TurnsOfRuns } from './turns-of-runs.js';
import { FindVictimFacts } from './victim-facts.js';

const victims = 640;
const allocations = 4000;
const ids = { partition: 'p', queue: 'root.a', enforcement: 'e-1' };
const settings: ExecutorSettings = {
  mode: undefined,
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
  let db: DataSource;
  let cluster: SimulatedCluster;
  withMigratedDatabase(async (opened) => {
    db = opened;
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
      `INSERT INTO clocks (partition, queue, version, state, running_enforcement, fencing_token)
       VALUES ('p', 'root.a', 1, '{}', 'e-1', 7)`,
    );
    await startAgain('e-1');
  });

  /** All allocations run, and a run that evicts the first of them is planned. */
  const startAgain = async (
    enforcement: string,
    care: Partial<EventData<'PlanComputed'>> = {},
    change: (victim: Victim) => Victim = (victim) => victim,
  ) => {
    await db.query('TRUNCATE runs, simulated_allocations, simulated_applications');
    await db.query("UPDATE clocks SET running_enforcement = $1 WHERE partition = 'p'", [enforcement]);
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
          events: [{ event: planOf(enforcement, uids, care, change), key: 'root.a' }],
        },
      ]),
    );
  };
  type Victim = EventData<'PlanComputed'>['plan']['victims'][number];
  const victimsOf = (uids: ReadonlyMap<string, string>) =>
    Array.from({ length: victims }, (_, i) => ({
      ...{ allocation: `a-${i + 1}`, uid: uids.get(`a-${i + 1}`)!, application: 'app', queue: 'root.a' },
      ...{ resources: { memory: 1 }, rank: i + 1, reason: 'It was the youngest.' },
    }));
  const planOf = (
    enforcement: string,
    uids: ReadonlyMap<string, string>,
    care: Partial<EventData<'PlanComputed'>>,
    change: (victim: Victim) => Victim = (victim) => victim,
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
        victims: victimsOf(uids).map(change),
      },
      ...care,
    };
    return { name: 'PlanComputed', data };
  };
  function newCarryOut(openRuns: OpenRuns, driver = cluster, set = settings): CarryOut {
    const controls = new ReadRunControl(db, set, cluster);
    const rounds = new RoundSteps(db, cluster);
    const facts = new RunFacts(
      new FindVictimFacts(cluster),
      new FindCareFacts(cluster, new FindOwnerFacts(db)),
      new FindQueueFacts(db, cluster),
      rounds,
    );
    return new CarryOut(
      new LoadRuns(db, new RecordTogether(db, openRuns)),
      set,
      openRuns,
      controls,
      new TurnsOfRuns(db, set, controls),
      facts,
      new PartitionLimitsOfRuns(db, controls),
      new SendEvictions(driver, new EvictionGates(openRuns, set), openRuns),
      rounds,
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
      [runStream('e-1')],
    );
    return row!.count;
  };

  const outcomesOf = (enforcement: string): Promise<{ type: string; code: string | null; count: number }[]> =>
    db.query(
      `SELECT split_part(type, '.', 4) AS type, data->>'code' AS code, count(*)::int AS count FROM events
       WHERE stream = $1 AND type LIKE '%.victim.%' AND type NOT LIKE '%ordered%' GROUP BY 1, 2 ORDER BY 1, 2`,
      [runStream(enforcement)],
    );

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

  describe('that is new', () => {
    const add = async (enforcement: string) => {
      await startAgain(enforcement);
      const openRuns = new OpenRuns(db);
      const run = { ...ids, enforcement, fencingToken: 7 };
      const [held] = await db.transaction((tx) => openRuns.add(tx, [run], { hold: true }));
      const [plan] = await readStream(db, planStream(enforcement));
      return { openRuns, held: held!, plan: known(plan!) };
    };

    it.each([true, false])(
      'continues from the plan at hand, without reading its streams, and with one turn for its first page; alone: %s',
      async (alone) => {
        const { openRuns, held, plan } = await add(`new-${alone}`);
        const take = jest.spyOn(RunTurns.prototype, 'take');
        const loading = jest.spyOn(RunLog.prototype, 'catchUp');
        const carryOut = newCarryOut(openRuns, cluster, { ...settings, alone });
        let steps = 0;
        // It opens, checks and orders.
        await carryOut.advance(held, () => ++steps > 3, plan);
        const asked = { turns: take.mock.calls.length, loads: loading.mock.calls.length };
        jest.restoreAllMocks();
        expect(asked).toEqual({ turns: 1, loads: 0 });
        expect(await outcomesOf(held.enforcement)).toEqual([{ type: 'evicted', code: null, count: 64 }]);
      },
    );

    it('is loaded if it has more than its plan: it orders nothing on what it did not know', async () => {
      const { openRuns, held, plan } = await add('known-before');
      let steps = 0;
      await newCarryOut(openRuns).advance(held, () => ++steps > 3);
      const before = await outcomesOf(held.enforcement);
      const evict = jest.spyOn(cluster, 'evict');
      await expect(newCarryOut(openRuns).advance(held, () => false, plan)).rejects.toThrow(StreamConflict);
      expect(evict).not.toHaveBeenCalled();
      expect(await outcomesOf(held.enforcement)).toEqual(before);
      jest.restoreAllMocks();
      expect(await newCarryOut(openRuns).advance(held, () => false)).toBeUndefined();
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
      [runStream('e-2')],
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

  describe('with victims that are protected together', () => {
    const size = 150;
    const gangWith = async (enforcement: string, members: number) => {
      const unit = (victim: Victim): Victim =>
        victim.rank <= size ? { ...victim, unit: 1, application: 'gang' } : victim;
      await startAgain(enforcement, {}, unit);
      await place(db, 'p', {
        applications: [{ id: 'gang', queue: 'root.a', gang: { minMembers: size } }],
      });
      await db.query(
        `UPDATE simulated_allocations SET application = 'gang'
         WHERE id IN (SELECT 'a-' || i FROM generate_series(1, $1::int) AS i) OR id = ANY ($2)`,
        [size, Array.from({ length: members - size }, (_, i) => `a-${allocations - i}`)],
      );
    };
    const carriedOut = async (enforcement: string) => {
      const openRuns = new OpenRuns(db);
      await db.transaction((tx) => openRuns.add(tx, [{ ...ids, enforcement, fencingToken: 7 }]));
      const [run] = (await openRuns.claim(1, [])).runs;
      expect(await newCarryOut(openRuns).advance(run!, () => false)).toBeUndefined();
      return outcomesOf(enforcement);
    };

    it('orders a gang that is larger than a page in one append, and evicts all of it', async () => {
      await gangWith('e-gang', size);
      expect(await carriedOut('e-gang')).toEqual([{ type: 'evicted', code: null, count: victims }]);
      const orders = await db.query<{ rank: number; at: string; tx: string }[]>(
        `SELECT (data->>'rank')::int AS rank, data->>'orderedAt' AS at, transaction_id::text AS tx FROM events
         WHERE stream = $1 AND type LIKE '%ordered%' ORDER BY version`,
        [runStream('e-gang')],
      );
      const ofGang = orders.slice(0, size);
      expect(ofGang.map(({ rank }) => rank)).toEqual(Array.from({ length: size }, (_, i) => i + 1));
      expect(new Set(ofGang.map(({ at, tx }) => `${at} ${tx}`)).size).toBe(1);
    });

    it('orders a gang that is larger than the rate of the partition in one append too', async () => {
      await gangWith('e-slow', size);
      await db.query(
        "INSERT INTO setting_overrides VALUES ('p', 'root', 'partitionVictimsPerSecond', '100', 'ada', NULL, now())",
      );
      const openRuns = new OpenRuns(db);
      await db.transaction((tx) => openRuns.add(tx, [{ ...ids, enforcement: 'e-slow', fencingToken: 7 }]));
      const [run] = (await openRuns.claim(1, [])).runs;
      let steps = 0;
      await newCarryOut(openRuns).advance(run!, () => ++steps > 4);
      expect(await outcomesOf('e-slow')).toEqual([{ type: 'evicted', code: null, count: size }]);
      await db.query('DELETE FROM setting_overrides');
      await db.query("DELETE FROM runs WHERE enforcement = 'e-slow'");
    });

    it('spares a gang that has got another member, which would be left alone', async () => {
      await gangWith('e-grown', size + 1);
      expect(await carriedOut('e-grown')).toEqual([
        { type: 'evicted', code: null, count: victims - size },
        { type: 'spared', code: 'gang', count: size },
      ]);
    });

    it('evicts no more of a disruption budget than it allows now', async () => {
      await startAgain('e-budget');
      await place(db, 'p', { budgets: [{ id: 'web', allowed: 10 }] });
      await db.query(
        `UPDATE simulated_allocations SET budgets = '["web"]'
         WHERE id IN (SELECT 'a-' || i FROM generate_series(1, 100) AS i)`,
      );
      expect(await carriedOut('e-budget')).toEqual([
        { type: 'evicted', code: null, count: victims - 90 },
        { type: 'spared', code: 'disruption-budget', count: 90 },
      ]);
      expect(await db.query('SELECT allowed FROM simulated_budgets')).toEqual([{ allowed: 0 }]);
    });
  });

  it.each([
    ['apart from its end, if they are many', manyVictims + 1, 2],
    ['together with its end, if they are few', manyVictims, 1],
  ])('records the last outcomes of a run %s', async (_, count, transactions) => {
    const openRuns = new OpenRuns(db);
    const enforcement = `e-of-${count}`;
    const { data } = planOf(enforcement, new Map(), {}) as DomainEvent<'PlanComputed'>;
    const { victims } = data.plan;
    const { uid: _uid, ...one } = victims[0]!;
    // All but the last have ended by themselves.
    const planned = Array.from({ length: count }, (_, i) => {
      return i < count - 1
        ? { ...one, allocation: `gone-${i + 1}`, rank: i + 1 }
        : { ...one, allocation: 'a-1', rank: count };
    });
    await startAgain(enforcement, { plan: { ...data.plan, victims: planned } });
    await db.transaction((tx) => openRuns.add(tx, [{ ...ids, enforcement, fencingToken: 7 }]));
    const [run] = (await openRuns.claim(1, [])).runs;
    const carryOut = newCarryOut(openRuns, cluster, { ...settings, approveAboveVictims: count });
    expect(await carryOut.advance(run!, () => false)).toBeUndefined();
    const last = await db.query<{ type: string; transaction: string }[]>(
      `SELECT split_part(type, '.', 4) AS type, transaction_id::text AS transaction FROM events
       WHERE stream = $1 ORDER BY version DESC LIMIT 2`,
      [runStream(enforcement)],
    );
    expect(last.map(({ type }) => type)).toEqual(['ended', 'evicted']);
    expect(new Set(last.map(({ transaction }) => transaction)).size).toBe(transactions);
  });

  describe('whose plan has an owner budget', () => {
    const owners = [{ user: 'ann', applications: ['app'] }];
    const ownerBudgets: OwnerBudget[] = [{ per: 'user', victims: 100, seconds: 3600 }];

    beforeEach(() => db.query('TRUNCATE planned_victims, recent_victims'));

    const planned = async (enforcement: string) => {
      await startAgain(enforcement, { settings: { ownerBudgets }, owners });
      await db.transaction(async (tx) => {
        const run = { enforcement, partition: 'p', victims: victimsOf(new Map()), owners };
        await turnOfOwnerBudgets(tx, ['p']);
        await addPlannedVictims(tx, [{ ...run, ownerBudgets }]);
        await new OpenRuns(db).add(tx, [{ ...ids, enforcement, fencingToken: 7 }]);
      });
    };
    /** Carries a run out to its end. */
    const carriedOut = async (enforcement: string) => {
      await planned(enforcement);
      const openRuns = new OpenRuns(db);
      const [run] = (await openRuns.claim(1, [])).runs;
      expect(await newCarryOut(openRuns).advance(run!, () => false)).toBeUndefined();
      return outcomesOf(enforcement);
    };
    /** A cluster that evicts, and whose answers never arrive. */
    const dying = () => {
      const driver = Object.create(cluster) as SimulatedCluster;
      driver.evict = async (request, gate) => {
        await cluster.evict(request, gate);
        throw new Error('killed');
      };
      return driver;
    };
    const others = (enforcement: string, count: number, countedAt: string | null, by = ownerBudgets) =>
      db.query(
        `INSERT INTO planned_victims (enforcement, partition, allocation, application, queue, owner, counted_at, counted_for)
         SELECT $1, 'p', 'other-' || i, 'other', 'root.b', 'ann', now() + $3::interval, $4
         FROM generate_series(1, $2::int) AS i`,
        [enforcement, count, countedAt, countedAt && countedFor(by)],
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

    it('counts what processes evicted that were killed: at a page boundary, and before they recorded an answer', async () => {
      await planned('e-6');
      const oneAfterOther = [
        { driver: cluster, pages: 1 },
        // Its requests are carried out, and it dies before it knows.
        { driver: dying(), pages: 1 },
        { driver: cluster, pages: Number.POSITIVE_INFINITY },
      ];
      for (const { driver, pages } of oneAfterOther) {
        const openRuns = new OpenRuns(db);
        await db.query("UPDATE runs SET lease_until = now() - interval '1 s' WHERE enforcement = 'e-6'");
        const [run] = (await openRuns.claim(1, [])).runs;
        let steps = 0;
        await newCarryOut(openRuns, driver).advance(run!, () => ++steps > 3 * pages);
      }
      expect(await outcomesOf('e-6')).toEqual([
        { type: 'evicted', code: null, count: 100 },
        { type: 'spared', code: 'owner-budget', count: victims - 100 },
      ]);
      const carriedOut = await db.query<unknown[]>(
        "SELECT FROM simulated_evictions WHERE eviction_id LIKE 'e-6-%'",
      );
      expect(carriedOut).toHaveLength(100);
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

    it('gives way to later plans with other budgets, which have not counted its victims by these', async () => {
      await others('e-per-queue', 30, '1 hour', [{ per: 'queue', victims: 1000, seconds: 60 }]);
      await others('e-more', 20, '1 hour', [{ per: 'user', victims: 300, seconds: 3600 }]);
      expect(await carriedOut('e-7')).toEqual([
        { type: 'evicted', code: null, count: 50 },
        { type: 'spared', code: 'owner-budget', count: victims - 50 },
      ]);
    });
  });

  describe('in a partition with limits over all runs', () => {
    const each = 100;
    const queues = ['root.b', 'root.c'];

    /** Two runs of 100 victims each, caused by configuration 12, and an executor for each of them. */
    const twoRuns = async (names: string[], limits: Record<string, number>) => {
      await db.query('TRUNCATE planned_victims, recent_victims, runs, setting_overrides, eviction_rates');
      await db.query('TRUNCATE simulated_allocations, simulated_applications');
      await db.query('DELETE FROM configuration_decisions');
      for (const [setting, value] of Object.entries(limits)) {
        await db.query("INSERT INTO setting_overrides VALUES ('p', 'root', $1, $2, 'ann', NULL, now())", [
          setting,
          JSON.stringify(value),
        ]);
      }
      await db.query("DELETE FROM clocks WHERE queue <> 'root.a'");
      await place(db, 'p', {
        applications: queues.map((queue) => ({ id: `app-${queue}`, queue })),
        allocations: queues.flatMap((queue) =>
          Array.from({ length: each }, (_, i) => ({
            ...{ id: `${queue}-${i}`, application: `app-${queue}`, queue, resources: { memory: 1 } },
            startedAt: '2026-01-01T00:00:00Z',
          })),
        ),
      });
      const { allocations: running } = await cluster.snapshot({ partition: 'p' });
      const runs = names.map((enforcement, i) => {
        const queue = queues[i]!;
        const victims = running
          .filter((allocation) => allocation.queue === queue)
          .map(({ id, uid, application, resources }, nr) => ({
            ...{ allocation: id, uid: uid!, application, queue, resources },
            ...{ rank: nr + 1, reason: 'It was the youngest.' },
          }));
        return { enforcement, partition: 'p', queue, fencingToken: 7, configuration: 12, victims };
      });
      for (const { victims, ...run } of runs) {
        await db.query(
          `INSERT INTO queues (partition, path, max, guaranteed, delay_ms, parent) VALUES ('p', $1, '{"memory":0}', NULL, 1000, false)
           ON CONFLICT DO NOTHING`,
          [run.queue],
        );
        await db.query(
          `INSERT INTO clocks (partition, queue, version, state, running_enforcement, fencing_token) VALUES ('p', $1, 1, '{}', $2, 7)`,
          [run.queue, run.enforcement],
        );
        const { data } = planOf(run.enforcement, new Map(), {
          ...{ queue: run.queue, configuration: 12, max: { memory: 0 } },
          ...{ queueAllocations: each, queueUsage: { memory: each } },
        }) as { data: EventData<'PlanComputed'> };
        const plan = { ...data.plan, target: { memory: each }, claimed: { memory: each }, victims };
        await db.transaction(async (tx) => {
          await append(tx, [
            {
              ...{ stream: planStream(run.enforcement), partition: 'p', expectedVersion: 0 },
              events: [{ event: { name: 'PlanComputed', data: { ...data, plan } }, key: run.queue }],
            },
          ]);
          await addPlannedVictims(tx, [{ ...run, victims, owners: undefined }]);
        });
      }
      const executors = runs.map(() => {
        const openRuns = new OpenRuns(db);
        return { openRuns, carryOut: newCarryOut(openRuns, cluster, { ...settings, alone: false }) };
      });
      await db.transaction((tx) => executors[0]!.openRuns.add(tx, runs));
      return { runs, executors };
    };
    /** Each executor carries one run out until it has to wait for more than a second, or is over. */
    const carryOutBoth = async ({ executors }: Pick<Awaited<ReturnType<typeof twoRuns>>, 'executors'>) => {
      await Promise.all(
        executors.map(async ({ openRuns, carryOut }) => {
          const [run] = (await openRuns.claim(1, [])).runs;
          if (!run) return;
          let waitsMs: number | undefined = 0;
          while (waitsMs !== undefined && waitsMs <= 1000) {
            await setTimeout(waitsMs);
            waitsMs = await carryOut.advance(run, () => false);
          }
          if (waitsMs !== undefined) await openRuns.release(run.enforcement, 0, { forgetDeaths: true });
        }),
      );
    };
    /**
     * By run, in the order of their victims evicted: how many, and the ceiling at which it waits or waited. The second run meets it when it
     * opens, or with its first page, depending on how far the first one is.
     */
    const outcomes = async (names: string[]) => {
      const rows: { evicted: number; code: string | null; ended: string | null }[] = await db.query(
        `SELECT count(*) FILTER (WHERE type LIKE '%.victim.evicted.%')::int AS evicted,
                max(coalesce(data->>'code', data->>'ceiling'))
                  FILTER (WHERE type LIKE '%.enforcement.held.%' OR type LIKE '%.enforcement.opened.%') AS code,
                max(data->>'outcome') FILTER (WHERE type LIKE '%.enforcement.ended.%') AS ended
         FROM unnest($1::text[]) AS s (stream) JOIN events e ON e.stream = s.stream
         GROUP BY s.stream ORDER BY 1`,
        [names.map((name) => runStream(name))],
      );
      return rows;
    };
    const passed = { evicted: each, code: null, ended: 'satisfied' };

    it.each<[string, Record<string, number>, string]>([
      ['an hour', { ceilingPerHour: 150 }, 'ceiling-hour'],
      ['the share of the cluster', { ceilingClusterPercent: 15 }, 'ceiling-cluster'],
    ])('lets one of two executors pass below the ceiling of %s, never both', async (_, limits, code) => {
      await db.query(
        `INSERT INTO simulated_nodes (partition, id, capacity) VALUES ('p', 'n', '{"memory":1000}') ON CONFLICT DO NOTHING`,
      );
      const names = [`${code}-1`, `${code}-2`];
      const both = await twoRuns(names, limits);
      await carryOutBoth(both);
      expect(await outcomes(names)).toEqual([{ evicted: 0, code, ended: null }, passed]);

      // Another process takes the run over: it still waits, until the ceilings are lifted for it.
      const { executors } = both;
      executors[0]!.carryOut = newCarryOut(executors[0]!.openRuns, cluster, { ...settings, alone: false });
      await carryOutBoth({ executors: executors.slice(0, 1) });
      expect(await outcomes(names)).toEqual([{ evicted: 0, code, ended: null }, passed]);
      const [held] = (await db.query('SELECT enforcement, queue FROM runs')) as {
        enforcement: string;
        queue: string;
      }[];
      const approved: DomainEvent = {
        name: 'PlanApproved',
        data: { partition: 'p', by: 'ann', ceilings: true, ...held! },
      };
      await db.transaction((tx) =>
        append(tx, [
          {
            ...{ stream: operatorStream(held!.enforcement), partition: 'p', expectedVersion: 0 },
            events: [{ event: approved, key: held!.queue }],
          },
        ]),
      );
      await carryOutBoth({ executors: executors.slice(0, 1) });
      expect(await outcomes(names)).toEqual(expect.arrayContaining([passed, { ...passed, code }]));
    });

    it('judges the orders of two processes one after the other', async () => {
      const { runs } = await twoRuns(['turn-1', 'turn-2'], { ceilingPerHour: 150 });
      // The row of the partition exists, so that nothing but its lock makes the second one wait.
      await db.query("INSERT INTO eviction_rates (partition, taken_at) VALUES ('p', now())");
      const order = async (i: number, record: () => Promise<void>) => {
        const controls = new ReadRunControl(db, settings, cluster);
        const run = runs[i]!;
        const [planned] = await readStream(db, planStream(run.enforcement));
        const { name, data } = known(planned!);
        const state = foldRun(initialRunState, [{ name, data } as DomainEvent]);
        const status = await controls.of(run, ['root', run.queue]);
        const limits = new PartitionLimitsOfRuns(db, controls);
        return limits.order(run, state, status, { victims: 64, isUnit: false, tx: undefined, record });
      };
      let commit = () => {};
      const mayCommit = new Promise<void>((resolve) => {
        commit = resolve;
      });
      let first: Promise<unknown> | undefined;
      await new Promise<void>((entered) => {
        first = order(0, async () => {
          entered();
          await mayCommit;
        });
      });
      const second = order(1, async () => {});
      await Promise.race([second, oneWaitsForALock()]);
      commit();
      expect(await first).toEqual({ kind: 'granted' });
      expect(await second).toMatchObject({ kind: 'ceiling', ceiling: { code: 'ceiling-hour' } });
    });
    const oneWaitsForALock = async () => {
      for (;;) {
        const waiting: unknown[] = await db.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        if (waiting.length > 0) return;
        await setTimeout(10);
      }
    };

    it('counts all runs of a configuration, those that wait too', async () => {
      const names = ['conf-1', 'conf-2'];
      await carryOutBoth(await twoRuns(names, { ceilingPerConfiguration: 150 }));
      const opened = await db.query(
        `SELECT data->>'ceiling' AS ceiling FROM events WHERE stream = ANY ($1) AND type LIKE '%.enforcement.opened.%'`,
        [names.map((name) => runStream(name))],
      );
      expect(opened).toEqual([{ ceiling: 'ceiling-configuration' }, { ceiling: 'ceiling-configuration' }]);
      expect((await outcomes(names)).map(({ evicted }) => evicted)).toEqual([0, 0]);
    });

    it('evicts at one rate over two runs and two executors', async () => {
      const names = ['rate-1', 'rate-2'];
      await carryOutBoth(await twoRuns(names, { partitionVictimsPerSecond: 80 }));
      expect(await outcomes(names)).toEqual([passed, passed]);
      const [span] = (await db.query(
        `SELECT extract(epoch FROM max(recorded_at) - min(recorded_at))::float8 AS seconds FROM events
         WHERE stream = ANY ($1) AND type LIKE '%.victim.ordered.%'`,
        [names.map((name) => runStream(name))],
      )) as { seconds: number }[];
      // 80 at once, then 120 at 80 a second; less only by the time between a permit and its record.
      expect(span!.seconds).toBeGreaterThan(1.2);
    });
  });
});
