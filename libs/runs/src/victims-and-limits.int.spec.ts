import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type DomainEvent, victimsKeptDays } from '#contracts';
import { append, runStream } from '#event-store';
import {
  addPlannedVictims,
  addRuns,
  admitRun,
  countedFor,
  countVictims,
  dropPlannedVictims,
  dropVictimsOf,
  forgetLimits,
  keepTokens,
  noteLimits,
  observingServices,
  trimRecentVictims,
  turnOfOrders,
  turnOfOwnerBudgets,
} from '#runs';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { plausibleData } from '../../../test/support/plausible-data.js';
import { untilWaiting } from '../../../test/support/until-waiting.js';

const partition = 'p';
const victim = (allocation: string, amount = 2) => ({
  ...{ allocation, application: `app-${allocation}`, queue: 'root.a', resources: { memory: amount } },
});

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});
beforeEach(async () => {
  await db.query(
    'TRUNCATE clocks, rounds, runs, planned_victims, recent_victims, events, eviction_rates, service_limits',
  );
});

const plan = (enforcement: string, victims: ReturnType<typeof victim>[], more: object = {}) =>
  db.transaction((tx) =>
    addPlannedVictims(tx, [{ enforcement, partition, victims, owners: undefined, ...more }]),
  );
const open = (enforcement: string, configuration?: number, of = partition) =>
  addRuns(db.manager, [{ enforcement, partition: of, queue: 'root.a', fencingToken: 1, configuration }]);
const planned = (enforcement: string) =>
  db
    .query<{ allocation: string }[]>(
      'SELECT allocation FROM planned_victims WHERE enforcement = $1 ORDER BY 1',
      [enforcement],
    )
    .then((rows) => rows.map(({ allocation }) => allocation));

describe('planned victims', () => {
  const leaving = () =>
    db
      .query<{ allocation: string }[]>('SELECT allocation FROM leaving_victims ORDER BY 1')
      .then((rows) => rows.map(({ allocation }) => allocation));

  it('are all kept, with the users of their applications, also where there are more than one statement takes', async () => {
    const many = Array.from({ length: 5001 }, (_, i) => victim(`a-${i}`));
    let sent = false;
    await db.transaction(async (tx) => {
      const run = { enforcement: 'e-1', partition, victims: many };
      const owners = [{ user: 'ada', applications: ['app-a-5000'] }] as never;
      const meanwhile = async () => {
        sent = true;
      };
      await addPlannedVictims(tx, [{ ...run, owners }], { areNew: true, meanwhile });
    });
    expect(sent).toBe(true);
    expect(await planned('e-1')).toHaveLength(5001);
    expect(
      await db.query('SELECT allocation, resources FROM planned_victims WHERE owner IS NOT NULL'),
    ).toEqual([{ allocation: 'a-5000', resources: { memory: 2 } }]);
  });

  it('stay as they are when a plan is recorded again', async () => {
    await plan('e-1', [victim('a-1', 2)]);
    await plan('e-1', [victim('a-1', 3), victim('a-2')]);
    expect(
      await db.query("SELECT allocation, resources ->> 'memory' AS memory FROM planned_victims ORDER BY 1"),
    ).toEqual([
      { allocation: 'a-1', memory: '2' },
      { allocation: 'a-2', memory: '2' },
    ]);
  });

  it('count as leaving while their run has the lock of its queue, a round that executes, or one of its own', async () => {
    for (const name of ['queue', 'round', 'own', 'none']) await plan(`e-${name}`, [victim(`a-${name}`)]);
    await db.query(
      `INSERT INTO clocks (partition, queue, version, state, running_enforcement, fencing_token) VALUES ($1, 'root.a', 1, '{}', 'e-queue', 1)`,
      [partition],
    );
    await db.query(
      `INSERT INTO rounds (policy, partition, round, enforcement, fencing_token, state, due_at, started_at, lease_until)
       VALUES ('fair-share', $1, 1, 'e-round', 1, 'executing', now(), now(), now())`,
      [partition],
    );
    await open('e-own');
    await open('e-none');
    await db.query("UPDATE runs SET own_lock = true WHERE enforcement = 'e-own'");
    expect(await leaving()).toEqual(['a-own', 'a-queue', 'a-round']);
    await db.query("UPDATE rounds SET state = 'over'");
    await db.query('UPDATE clocks SET running_enforcement = NULL');
    await db.query('UPDATE runs SET own_lock = false');
    expect(await leaving()).toEqual([]);
  });

  it('stay one by one where only some of a run are dropped', async () => {
    await plan(
      'e-1',
      ['a-1', 'a-2', 'a-3'].map((name) => victim(name)),
    );
    await plan('e-2', [victim('a-1')]);
    await dropPlannedVictims(db.manager, 'e-1', ['a-1', 'a-3']);
    expect(await planned('e-1')).toEqual(['a-2']);
    expect(await planned('e-2')).toEqual(['a-1']);
  });

  it('of a run that lost its lock leave no more; those that were ordered are recent, as they may still go', async () => {
    await open('e-1', 4);
    await plan(
      'e-1',
      ['a-1', 'a-2'].map((name) => victim(name)),
    );
    const known = {
      partition,
      queue: 'root.a',
      victimQueue: 'root.a',
      application: 'app-a-1',
      allocation: 'a-1',
    };
    const ordered = { name: 'VictimOrdered', data: plausibleData('VictimOrdered', known) } as DomainEvent;
    const events = [{ event: ordered, at: new Date(), key: 'root.a' }];
    await db.transaction((tx) =>
      append(tx, [{ stream: runStream('e-1'), partition, expectedVersion: 0, events }]),
    );
    await db.transaction((tx) => dropVictimsOf(tx, ['e-1']));
    expect(await planned('e-1')).toEqual([]);
    expect(await db.query('SELECT allocation, configuration FROM recent_victims')).toEqual([
      { allocation: 'a-1', configuration: 4 },
    ]);
  });

  it('are counted alike by equal owner budgets only', async () => {
    const budget = { per: 'user', victims: 3, seconds: 60 } as never as Parameters<
      typeof countedFor
    >[0][number];
    expect(countedFor([budget])).toBe(countedFor([{ ...budget }]));
    for (const other of [
      { ...budget, victims: 4 },
      { ...budget, seconds: 61 },
      { ...budget, per: 'application' },
    ])
      expect(countedFor([other as never])).not.toBe(countedFor([budget]));
    expect(countedFor([budget, budget])).not.toBe(countedFor([budget]));
    await plan('e-1', [victim('a-1')], { ownerBudgets: [budget] });
    await plan('e-2', [victim('a-2')]);
    const rows = await db.query(
      'SELECT counted_for, counted_at IS NOT NULL AS has_time FROM planned_victims ORDER BY enforcement',
    );
    expect(rows).toEqual([
      { counted_for: countedFor([budget]), has_time: true },
      { counted_for: null, has_time: false },
    ]);
  });

  it('with owner budgets are recorded by one transaction of a partition after the other', async () => {
    const order: string[] = [];
    let second: Promise<void> | undefined;
    await db.transaction(async (tx) => {
      await turnOfOwnerBudgets(tx, [partition, partition]);
      second = db.transaction(async (other) => {
        await turnOfOwnerBudgets(other, ['another']);
        order.push('another');
        await turnOfOwnerBudgets(other, [partition]);
        order.push('second');
      });
      await untilWaiting(db);
      order.push('first');
    });
    await second;
    expect(order).toEqual(['another', 'first', 'second']);
  });
});

describe('recent victims', () => {
  const evictedBefore = (
    allocation: string,
    before: string,
    configuration: number | null = null,
    run = 'e-0',
  ) =>
    db.query(
      `INSERT INTO recent_victims (enforcement, allocation, partition, application, queue, evicted_at, resources, configuration)
       VALUES ($1, $2, $3, 'app', 'root.a', now() - $4::interval, '{"memory": 2}', $5)`,
      [run, allocation, partition, before, configuration],
    );

  it('are deleted, the oldest first and as many as asked for, once no owner budget can count them', async () => {
    await evictedBefore('oldest', `${victimsKeptDays + 2} days`);
    await evictedBefore('old', `${victimsKeptDays + 1} days`);
    await evictedBefore('kept', `${victimsKeptDays - 1} days`);
    const left = async () =>
      (
        await db.query<{ allocation: string }[]>('SELECT allocation FROM recent_victims ORDER BY evicted_at')
      ).map(({ allocation }) => allocation);
    expect(await trimRecentVictims(db, 1)).toBe(1);
    expect(await left()).toEqual(['old', 'kept']);
    expect(await trimRecentVictims(db, 10)).toBe(1);
    expect(await left()).toEqual(['kept']);
  });

  describe('and planned ones, as ceilings count them', () => {
    const count = (configuration?: number, resources = true) =>
      countVictims(db, { partition, enforcement: 'e-me', configuration }, { resources });

    it('are those of the last hour and of admitted runs, without those of the run that asks', async () => {
      await evictedBefore('now', '59 minutes');
      await evictedBefore('before', '61 minutes');
      await evictedBefore('mine', '1 minute', null, 'e-me');
      for (const name of ['e-admitted', 'e-waits', 'e-me']) {
        await open(name);
        await plan(name, [victim('a-1', 3), victim('a-2', 5)]);
      }
      for (const name of ['e-admitted', 'e-me']) await db.transaction((tx) => admitRun(tx, name));
      expect(await count()).toEqual({ hour: { victims: 3, resources: { memory: 10 } }, ofConfiguration: 0 });
      expect(await count(undefined, false)).toEqual({
        hour: { victims: 3, resources: {} },
        ofConfiguration: 0,
      });
    });

    it('are those of the same configuration, however long ago, admitted or not', async () => {
      await evictedBefore('before', '61 minutes', 4);
      await evictedBefore('other', '61 minutes', 5);
      await open('e-waits', 4);
      await plan('e-waits', [victim('a-1')]);
      expect(await count(4)).toEqual({ hour: { victims: 0, resources: {} }, ofConfiguration: 2 });
      expect(await count(6)).toMatchObject({ ofConfiguration: 0 });
    });

    it('are those of one partition', async () => {
      await evictedBefore('now', '1 minute', 4);
      const elsewhere = { partition: 'q', enforcement: 'e-me', configuration: 4 };
      expect(await countVictims(db, elsewhere, { resources: true })).toEqual({
        ...{ hour: { victims: 0, resources: {} }, ofConfiguration: 0 },
      });
    });

    it('add up to no more than a number holds exactly', async () => {
      await open('e-admitted');
      const most = Number.MAX_SAFE_INTEGER;
      await plan('e-admitted', [victim('a-1', most), victim('a-2', most)]);
      await db.transaction((tx) => admitRun(tx, 'e-admitted'));
      expect((await count()).hour.resources).toEqual({ memory: most });
    });
  });
});

describe('the turn to order victims in a partition', () => {
  it('is taken by one transaction after the other, and each sees the tokens that the one before left', async () => {
    let second: Promise<unknown> | undefined;
    const first = await db.transaction(async (tx) => {
      const kept = await turnOfOrders(tx, partition);
      second = db.transaction((other) => turnOfOrders(other, partition));
      await untilWaiting(db);
      await keepTokens(tx, partition, 4.5);
      return kept;
    });
    expect(first).toBeUndefined();
    expect(await second).toEqual({ tokens: 4.5, ageMs: expect.any(Number) });
  });

  it('keeps the age of the tokens, and those of each partition apart', async () => {
    await db.transaction(async (tx) => {
      await turnOfOrders(tx, partition);
      await turnOfOrders(tx, 'q');
      await keepTokens(tx, partition, 3);
    });
    await db.query("UPDATE eviction_rates SET taken_at = taken_at - interval '1 hour'");
    await db.transaction(async (tx) => {
      const kept = await turnOfOrders(tx, partition);
      expect(kept?.tokens).toBe(3);
      expect(kept?.ageMs).toBeGreaterThanOrEqual(3_600_000);
      expect(await turnOfOrders(tx, 'q')).toBeUndefined();
    });
  });
});

describe('the limits of services', () => {
  const services = (observing: boolean, name = 'executor') => [{ name, observesOnly: observing }];

  it('name a service as observing while every one of its processes only observes', async () => {
    expect(await observingServices(db)).toEqual([]);
    await noteLimits(db, 'one', [...services(true, 'planner'), ...services(true)]);
    await noteLimits(db, 'two', services(false));
    expect(await observingServices(db)).toEqual(['planner']);
    await forgetLimits(db, 'two');
    await noteLimits(db, 'three', services(true));
    expect(await observingServices(db)).toEqual(['executor', 'planner']);
  });

  it('of a process that ends or has died count no more', async () => {
    await noteLimits(db, 'ends', services(false));
    await noteLimits(db, 'died', services(false));
    await noteLimits(db, 'runs', services(true));
    await forgetLimits(db, 'ends');
    expect(await observingServices(db)).toEqual([]);
    await db.query(
      "UPDATE service_limits SET valid_until = now() - interval '1 second' WHERE process = 'died'",
    );
    expect(await observingServices(db)).toEqual(['executor']);
    await noteLimits(db, 'runs', services(true));
    expect(await db.query('SELECT process FROM service_limits')).toEqual([{ process: 'runs' }]);
  });

  it('are all forgotten by a process that uses the database alone', async () => {
    await noteLimits(db, 'one', services(true));
    await noteLimits(db, 'two', services(true));
    await forgetLimits(db);
    expect(await observingServices(db)).toEqual([]);
  });
});
