import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { append, planStream, runStream } from '#event-store';
import {
  addCrashingRun,
  addPlannedVictims,
  addRuns,
  claimRuns,
  endOutdatedRuns,
  holdOwnLock,
  keepHold,
  mostDeaths,
  noteApproved,
  type OpenRun,
  releaseRun,
  removeRuns,
  takeOverAll,
  touchRuns,
} from '#runs';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { plausibleData } from '../../../test/support/plausible-data.js';

const partition = 'p';
const runOf = (enforcement: string): OpenRun => ({
  enforcement,
  partition,
  queue: `root.${enforcement}`,
  fencingToken: 7,
});
const minute = 60_000;

describe('an open run', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(async () => {
    await db.query('TRUNCATE runs, planned_victims, recent_victims, events, partitions');
  });

  const add = (...names: string[]) => addRuns(db.manager, names.map(runOf));
  const claim = async (
    owner: string,
    { carried = [] as string[], limit = 10, mayTakeSuspect = true, holdMs = minute } = {},
  ) => claimRuns(db, { owner, holdMs, carried, mayTakeSuspect }, limit);
  const namesClaimed = async (...of: Parameters<typeof claim>) =>
    (await claim(...of)).runs.map(({ enforcement }) => enforcement).sort();
  /** Due times have milliseconds, and are rounded, perhaps up. */
  const makeDue = () =>
    db.query("UPDATE runs SET next_step_at = now() - interval '1 second' WHERE next_step_at < 'infinity'");
  const crash = () =>
    db.query("UPDATE runs SET lease_until = now() - interval '1 second' WHERE lease_owner IS NOT NULL");
  const record = (stream: string, ...events: DomainEvent[]) =>
    db.transaction((tx) =>
      append(tx, [
        {
          ...{ stream, partition, expectedVersion: 0 },
          events: events.map((event) => ({ event, at: new Date(), key: 'root.a' })),
        },
      ]),
    );

  describe('that is due', () => {
    it('is claimed by one process, however many ask at once', async () => {
      const names = Array.from({ length: 40 }, (_, i) => `e-${i}`);
      await add(...names);
      await makeDue();
      const claimed = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => claim(owner, { limit: 25 })));
      const all = claimed.flatMap(({ runs }) => runs.map(({ enforcement }) => enforcement));
      expect(all.length).toBe(new Set(all).size);
      const rest = await claim('e', { limit: 40 });
      expect([...all, ...rest.runs.map(({ enforcement }) => enforcement)].sort()).toEqual(names.sort());
    });

    it('is claimed with its fencing token, by as many as the limit allows', async () => {
      await add('e-1', 'e-2');
      await makeDue();
      const { runs } = await claim('a', { limit: 1 });
      expect(runs).toEqual([{ ...runOf(runs[0]!.enforcement), deaths: 0 }]);
    });

    it('is left out, and not waited for, while the transaction of another process has it', async () => {
      await add('e-1', 'e-2');
      await makeDue();
      await db.transaction(async (tx) => {
        await tx.query("SELECT FROM runs WHERE enforcement = 'e-1' FOR UPDATE");
        const { runs } = await db.transaction(async (other) => {
          await other.query("SET LOCAL lock_timeout = '100ms'");
          const holder = { owner: 'a', holdMs: minute, carried: [], mayTakeSuspect: true };
          return claimRuns(other as unknown as DataSource, holder, 10);
        });
        expect(runs.map(({ enforcement }) => enforcement)).toEqual(['e-2']);
      });
    });

    it('is not claimed again by the process that carries it out', async () => {
      await add('e-1');
      await makeDue();
      expect(await namesClaimed('a')).toEqual(['e-1']);
      expect(await namesClaimed('a', { carried: ['e-1'] })).toEqual([]);
    });
  });

  it('that is not due is left, and the claim says when it is', async () => {
    await add('e-1');
    await db.query("UPDATE runs SET next_step_at = now() + interval '1 hour'");
    const { runs, nextDueInMs } = await claim('a');
    expect(runs).toEqual([]);
    expect(nextDueInMs).toBeGreaterThan(59 * minute);
    expect(nextDueInMs).toBeLessThanOrEqual(60 * minute);
  });

  it('that another process holds is next due when that hold ends; without open runs nothing is due', async () => {
    expect((await claim('a')).nextDueInMs).toBeUndefined();
    await add('e-1');
    await makeDue();
    await claim('a');
    const { runs, nextDueInMs } = await claim('b');
    expect(runs).toEqual([]);
    expect(nextDueInMs).toBeGreaterThan(0);
    expect(nextDueInMs).toBeLessThanOrEqual(minute);
  });

  it('that exists already stays as it is when it is added again', async () => {
    await add('e-1');
    const again = { ...runOf('e-1'), fencingToken: 8 };
    const held = await addRuns(db.manager, [again, runOf('e-2')], { owner: 'a', holdMs: minute });
    expect(held).toEqual([{ ...runOf('e-2'), deaths: 0 }]);
    expect(await db.query('SELECT enforcement, fencing_token FROM runs ORDER BY enforcement')).toEqual([
      { enforcement: 'e-1', fencing_token: '7' },
      { enforcement: 'e-2', fencing_token: '7' },
    ]);
  });

  it('that is added with a hold is claimed by no other process until the hold ends', async () => {
    await addRuns(db.manager, [runOf('e-1')], { owner: 'a', holdMs: minute });
    expect(await namesClaimed('b')).toEqual([]);
    await crash();
    expect((await claim('b')).runs).toEqual([{ ...runOf('e-1'), deaths: 1 }]);
  });

  describe('whose hold is renewed', () => {
    it('stays with its process', async () => {
      await add('e-1');
      await makeDue();
      await claim('a');
      await crash();
      expect(await keepHold(db, 'e-1', { owner: 'a', holdMs: minute })).toBe(true);
      expect(await namesClaimed('b')).toEqual([]);
    });

    it('is lost once another process has claimed it, which the first one learns', async () => {
      await add('e-1');
      await makeDue();
      await claim('a');
      await crash();
      expect(await namesClaimed('b')).toEqual(['e-1']);
      expect(await keepHold(db, 'e-1', { owner: 'a', holdMs: minute })).toBe(false);
    });
  });

  describe('that is released', () => {
    const release = (owner: string, untilNextStepMs: number, forgetDeaths = false) =>
      releaseRun(db, 'e-1', { owner, untilNextStepMs, forgetDeaths });
    beforeEach(async () => {
      await add('e-1');
      await makeDue();
      await claim('a');
    });

    it('is due after its time, for every process', async () => {
      await release('a', 10 * minute);
      const { runs, nextDueInMs } = await claim('b');
      expect(runs).toEqual([]);
      expect(nextDueInMs).toBeGreaterThan(9 * minute);
      await makeDue();
      expect(await namesClaimed('b')).toEqual(['e-1']);
    });

    it('is due at once if it was touched meanwhile', async () => {
      await touchRuns(db.manager, { enforcements: ['e-1'] });
      await release('a', 10 * minute);
      const [{ due }] = await db.query<[{ due: boolean }]>(
        "SELECT next_step_at <= now() + interval '1 second' AS due FROM runs",
      );
      expect(due).toBe(true);
    });

    it('stays with the process that holds it if another one releases it', async () => {
      await release('b', 0);
      expect(await namesClaimed('b')).toEqual([]);
      expect(await keepHold(db, 'e-1', { owner: 'a', holdMs: minute })).toBe(true);
    });

    it('has crashed no one any more if its process has got through', async () => {
      await crash();
      expect((await claim('b')).runs).toMatchObject([{ deaths: 1 }]);
      await release('b', 0);
      await makeDue();
      expect((await claim('b')).runs).toMatchObject([{ deaths: 1 }]);
      await release('b', 0, true);
      await makeDue();
      expect((await claim('b')).runs).toMatchObject([{ deaths: 0 }]);
    });
  });

  describe('that is touched', () => {
    const due = async () =>
      (
        await db.query<{ enforcement: string }[]>(
          "SELECT enforcement FROM runs WHERE next_step_at <= now() + interval '1 second' ORDER BY enforcement",
        )
      ).map(({ enforcement }) => enforcement);
    beforeEach(async () => {
      await add('e-1', 'e-2');
      await addRuns(db.manager, [{ ...runOf('e-3'), partition: 'q' }]);
      await db.query("UPDATE runs SET next_step_at = now() + interval '1 hour'");
      await db.query("UPDATE runs SET next_step_at = NULL WHERE enforcement = 'e-2'");
    });

    it('by its name is due at once, and no other run is', async () => {
      await touchRuns(db.manager, { enforcements: ['e-1'] });
      expect(await due()).toEqual(['e-1']);
    });

    it('by its partition is due at once with all others there, also one without a next step', async () => {
      await touchRuns(db.manager, { partition });
      expect(await due()).toEqual(['e-1', 'e-2']);
    });
  });

  describe('that crashes processes', () => {
    /** One process after the other claims all and dies. */
    const die = async (times: number) => {
      for (let i = 0; i < times; i++) {
        await claim(`dead-${i}`);
        await crash();
      }
    };
    const deaths = async () => (await claim('last')).runs.map((run) => run.deaths);

    it('counts each of them', async () => {
      await add('e-1');
      await makeDue();
      await die(mostDeaths);
      expect(await deaths()).toEqual([mostDeaths]);
    });

    it('counts from zero again once it has recorded an event', async () => {
      await add('e-1');
      await makeDue();
      await die(2);
      await claim('next');
      await record(runStream('e-1'), evicted('e-1', 'a-1'));
      await crash();
      expect(await deaths()).toEqual([0]);
    });

    it('stays given up after the last of them, whatever is recorded while it is', async () => {
      await add('e-1');
      await makeDue();
      await die(mostDeaths);
      await claim('gives-up');
      await record(runStream('e-1'), evicted('e-1', 'a-1'));
      await crash();
      expect(await deaths()).toEqual([mostDeaths]);
    });

    it('is claimed alone among its like, the one with the most crashes first', async () => {
      await add('e-1', 'e-2', 'e-3');
      await makeDue();
      await db.query(
        "UPDATE runs SET deaths = CASE enforcement WHEN 'e-1' THEN 1 WHEN 'e-2' THEN 2 ELSE 0 END",
      );
      expect(await namesClaimed('a')).toEqual(['e-2', 'e-3']);
    });

    it('is left to others by a process that has one of them already', async () => {
      await add('e-1', 'e-2');
      await makeDue();
      await db.query("UPDATE runs SET deaths = 1 WHERE enforcement = 'e-1'");
      expect(await namesClaimed('a', { mayTakeSuspect: false })).toEqual(['e-2']);
      expect(await namesClaimed('b')).toEqual(['e-1']);
    });

    it('is added again from its plan, by the id of the event, with the crashes so far', async () => {
      const known = { enforcement: 'e-1', partition, queue: 'root.a', fencingToken: 9 };
      const data = plausibleData('PlanComputed', known);
      await record(planStream('e-1'), { name: 'PlanComputed', data } as DomainEvent);
      const [{ id }] = await db.query<[{ id: string }]>('SELECT id FROM events');
      await addCrashingRun(db.manager, id, 2);
      await makeDue();
      expect((await claim('a')).runs).toEqual([
        { enforcement: 'e-1', partition, queue: 'root.a', fencingToken: 9, deaths: 2 },
      ]);
    });

    it('counts a hold whose process an only new one takes over from', async () => {
      await add('e-1', 'e-2');
      await db.query("UPDATE runs SET next_step_at = now() + interval '1 hour' WHERE enforcement = 'e-2'");
      await db.query("UPDATE runs SET next_step_at = now() - interval '1 second' WHERE enforcement = 'e-1'");
      await claim('a');
      await takeOverAll(db);
      expect(
        await db.query('SELECT enforcement, lease_owner, deaths FROM runs ORDER BY enforcement'),
      ).toEqual([
        { enforcement: 'e-1', lease_owner: null, deaths: 1 },
        { enforcement: 'e-2', lease_owner: null, deaths: 0 },
      ]);
      await makeDue();
      expect(await namesClaimed('b')).toEqual(['e-1', 'e-2']);
    });
  });

  describe('that ends', () => {
    const recent = () =>
      db.query('SELECT allocation, owner, configuration, resources FROM recent_victims ORDER BY allocation');
    const planned = async () =>
      (await db.query<{ allocation: string }[]>('SELECT allocation FROM planned_victims ORDER BY 1')).map(
        ({ allocation }) => allocation,
      );
    beforeEach(async () => {
      await addRuns(db.manager, [{ ...runOf('e-1'), configuration: 3 }, runOf('e-2')]);
      const victims = (...names: string[]) =>
        names.map((allocation) => ({
          ...{ allocation, application: `app-${allocation}`, queue: 'root.a', resources: { memory: 4 } },
        }));
      await addPlannedVictims(db.manager, [
        {
          ...{ enforcement: 'e-1', partition, victims: victims('a-1', 'a-2', 'a-3', 'a-4', 'a-5') },
          owners: [{ user: 'ada', applications: ['app-a-1'] }] as never,
        },
        { enforcement: 'e-2', partition, victims: victims('b-1'), owners: undefined },
      ]);
    });

    it('is gone, and each victim that was evicted or may have been is a recent one', async () => {
      await record(
        runStream('e-1'),
        evicted('e-1', 'a-1'),
        left('VictimGone', 'a-2', 'gone-after-request'),
        left('VictimFailed', 'a-3', 'outcome-unknown'),
        left('VictimGone', 'a-4', 'gone'),
      );
      await db.transaction((tx) => removeRuns(tx, ['e-1']));
      expect(await recent()).toEqual([
        { allocation: 'a-1', owner: 'ada', configuration: 3, resources: { memory: 2 } },
        { allocation: 'a-2', owner: null, configuration: 3, resources: { memory: 4 } },
        { allocation: 'a-3', owner: null, configuration: 3, resources: { memory: 4 } },
      ]);
      expect(await planned()).toEqual(['b-1']);
      expect(await db.query('SELECT enforcement FROM runs')).toEqual([{ enforcement: 'e-2' }]);
    });

    it('is gone also if one of its events is damaged, so that its lock is released', async () => {
      await record(runStream('e-1'), evicted('e-1', 'a-1'), evicted('e-1', 'a-2'));
      await db.query(`UPDATE events SET data = '{"allocation":"a-2"}' WHERE data ->> 'allocation' = 'a-2'`);
      await db.transaction((tx) => removeRuns(tx, ['e-1']));
      expect(await recent()).toMatchObject([{ allocation: 'a-1' }]);
      expect(await db.query('SELECT enforcement FROM runs')).toEqual([{ enforcement: 'e-2' }]);
    });
  });

  describe('that outlives its round', () => {
    const round = { enforcement: 'e-1', policy: 'fair-share', settings: '{"every": 60, "most": 3}' };
    const isHeld = async () => {
      const [row] = await db.query<[{ own_lock: boolean }]>(
        "SELECT own_lock FROM runs WHERE enforcement = 'e-1'",
      );
      return row.own_lock;
    };
    const configure = (policies: object) =>
      db.query(
        `INSERT INTO partitions (partition, digest, format, body, quota_preemption_enabled, applied_at, version, policies)
         VALUES ($1, '', '', '', true, now(), 1, $2) ON CONFLICT (partition) DO UPDATE SET policies = excluded.policies`,
        [partition, JSON.stringify(policies)],
      );
    const hold = (awaitsApproval = false) => holdOwnLock(db.manager, round, { awaitsApproval });
    beforeEach(async () => {
      await add('e-1');
      await configure({ 'fair-share': { most: 3, every: 60 } });
    });

    it('has a lock of its own while its settings are in force, in whatever order they are written', async () => {
      expect(await hold()).toBe(true);
      expect(await isHeld()).toBe(true);
    });

    it('stays fenced if other settings are in force, or none', async () => {
      await configure({ 'fair-share': { most: 4, every: 60 } });
      expect(await hold()).toBe(false);
      await configure({});
      expect(await hold()).toBe(false);
      expect(await isHeld()).toBe(false);
    });

    it('loses its lock with its settings for good, and its next step is due', async () => {
      await hold();
      await db.query("UPDATE runs SET next_step_at = now() + interval '1 hour'");
      await endOutdatedRuns(db.manager, partition);
      expect(await isHeld()).toBe(true);
      await configure({ 'fair-share': { most: 4, every: 60 } });
      await endOutdatedRuns(db.manager, partition);
      expect(await isHeld()).toBe(false);
      await configure({ 'fair-share': { most: 3, every: 60 } });
      await endOutdatedRuns(db.manager, partition);
      expect(await isHeld()).toBe(false);
      await makeDue();
      expect(await namesClaimed('a')).toEqual(['e-1']);
    });

    it('is approved once', async () => {
      expect(await noteApproved(db.manager, 'e-1')).toBe(false);
      await hold(true);
      expect(await noteApproved(db.manager, 'e-1')).toBe(true);
      expect(await noteApproved(db.manager, 'e-1')).toBe(false);
    });
  });
});

function evicted(enforcement: string, allocation: string): DomainEvent {
  return victimEvent('VictimEvicted', { enforcement, allocation, resources: { memory: 2 } });
}

function left(name: 'VictimGone' | 'VictimFailed', allocation: string, code: string): DomainEvent {
  return victimEvent(name, { enforcement: 'e-1', allocation, code });
}

function victimEvent(
  name: 'VictimEvicted' | 'VictimGone' | 'VictimFailed',
  more: { allocation: string } & Record<string, unknown>,
): DomainEvent {
  const known = { partition, queue: 'root.a', application: `app-${more.allocation}`, victimQueue: 'root.a' };
  return { name, data: { ...(plausibleData(name, known) as object), ...more } } as DomainEvent;
}
