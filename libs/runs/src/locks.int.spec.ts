import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type ClockState, initialClockState } from '#enforcement';
import {
  addRuns,
  LOCK_IN_FORCE,
  leaseLocks,
  noteVersions,
  renewLocks,
  renewLocksOfOpen,
  type SavedClock,
  saveClocks,
  saveVersions,
} from '#runs';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';

const partition = 'p';
const minute = 60_000;

/** A clock, whose queue a run has if one is named. */
function clock(queue: string, run?: { enforcement: string; fencingToken: number }, version = 1): SavedClock {
  const running = run && { ...run, startedAt: '', firedWith: { max: {} }, changeSkipped: false };
  const state = { ...initialClockState, running } as unknown as ClockState;
  return { partition, queue, version, state, configVersion: version };
}

describe('the lock of a queue', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(async () => {
    await db.query('TRUNCATE clocks, rounds, runs, partitions');
  });

  const save = (...clocks: SavedClock[]) => saveClocks(db.manager, clocks, minute);
  const run = { enforcement: 'e-1', fencingToken: 7 };
  /** The leases that are left, in whole minutes, rounded up; null: there is none. */
  const leases = async () => {
    const rows = await db.query<{ queue: string; minutes: number | null }[]>(
      'SELECT queue, ceil(extract(epoch FROM lease_until - now()) / 60)::int AS minutes FROM clocks ORDER BY queue',
    );
    return Object.fromEntries(rows.map(({ queue, minutes }) => [queue, minutes]));
  };
  const openRun = (queue: string, { enforcement, fencingToken } = run) =>
    addRuns(db.manager, [{ enforcement, partition, queue, fencingToken }]);

  it('is leased when a run gets it, and not before', async () => {
    await save(clock('root.a', run), clock('root.b'));
    expect(await leases()).toEqual({ 'root.a': 1, 'root.b': null });
  });

  it('keeps its lease when the clock is saved again, since only the process that carries the run out promises it', async () => {
    await save(clock('root.a', run));
    await db.query("UPDATE clocks SET lease_until = now() + interval '5 minutes'");
    await save(clock('root.a', run, 2));
    expect(await leases()).toEqual({ 'root.a': 5 });
  });

  it('is leased to the next run, and has no lease when no run holds it', async () => {
    await save(clock('root.a', run));
    await db.query("UPDATE clocks SET lease_until = now() - interval '5 minutes'");
    await save(clock('root.a', { enforcement: 'e-2', fencingToken: 8 }, 2));
    expect(await leases()).toEqual({ 'root.a': 1 });
    await save(clock('root.a', undefined, 3));
    expect(await leases()).toEqual({ 'root.a': null });
    expect(await db.query('SELECT running_enforcement, fencing_token FROM clocks')).toEqual([
      { running_enforcement: null, fencing_token: null },
    ]);
  });

  it('is renewed by the fencing token that has it, and by no older one', async () => {
    await save(clock('root.a', run), clock('root.b', { enforcement: 'e-2', fencingToken: 9 }));
    await renewLocks(db, [run, { enforcement: 'e-2', fencingToken: 8 }], 10 * minute);
    expect(await leases()).toEqual({ 'root.a': 10, 'root.b': 1 });
  });

  it('is renewed for open runs, but not for one that is stuck, has another token, or is open no more', async () => {
    const other = (name: string) => ({ enforcement: name, fencingToken: 7 });
    await save(
      clock('root.open', other('e-open')),
      clock('root.stuck', other('e-stuck')),
      clock('root.taken', { enforcement: 'e-taken', fencingToken: 8 }),
      clock('root.over', other('e-over')),
    );
    await openRun('root.open', other('e-open'));
    await openRun('root.stuck', other('e-stuck'));
    await openRun('root.taken', other('e-taken'));
    await renewLocksOfOpen(db, 10 * minute, ['e-stuck']);
    expect(await leases()).toEqual({ 'root.open': 10, 'root.over': 1, 'root.stuck': 1, 'root.taken': 1 });
  });

  it('that has no lease gets one, in its partition only, since else it would never be released', async () => {
    await save(clock('root.a', run), clock('root.b'));
    await save({ ...clock('root.a', { enforcement: 'e-2', fencingToken: 8 }), partition: 'q' });
    await db.query('UPDATE clocks SET lease_until = NULL');
    expect(await leaseLocks(db, partition, minute)).toBe(1);
    expect(await db.query('SELECT partition, queue FROM clocks WHERE lease_until IS NOT NULL')).toEqual([
      { partition, queue: 'root.a' },
    ]);
    expect(await leaseLocks(db, partition, minute)).toBe(0);
  });

  describe('with the version of the configuration that its clock has applied', () => {
    const applied = async () =>
      (await db.query<{ v: number }[]>('SELECT config_version AS v FROM clocks ORDER BY queue')).map(
        ({ v }) => v,
      );

    it('never goes back, even if another process writes it', async () => {
      await save({ ...clock('root.a'), configVersion: 5 }, { ...clock('root.b'), configVersion: 5 });
      await save({ ...clock('root.a', undefined, 2), configVersion: 4 });
      await saveVersions(db.manager, [{ ...clock('root.b'), configVersion: 3 }]);
      await noteVersions(db, partition, [{ queue: 'root.a', version: 2 }]);
      expect(await applied()).toEqual([5, 5]);
    });

    it('takes the newest of several, for clocks that exist', async () => {
      await save(clock('root.a'), clock('root.b'));
      const versions = [7, 9, 8].map((version) => ({ queue: 'root.a', version }));
      await noteVersions(db, partition, [...versions, { queue: 'root.none', version: 9 }]);
      expect(await applied()).toEqual([9, 1]);
    });

    it('is saved without the state, which another process may be changing', async () => {
      await save(clock('root.a', run));
      await saveVersions(db.manager, [clock('root.a', undefined, 6), clock('root.new', undefined, 6)]);
      expect(await db.query('SELECT queue, version, running_enforcement FROM clocks ORDER BY queue')).toEqual(
        [
          { queue: 'root.a', version: 1, running_enforcement: 'e-1' },
          { queue: 'root.new', version: 6, running_enforcement: null },
        ],
      );
      expect(await applied()).toEqual([6, 6]);
    });
  });

  describe('in force', () => {
    const settings = { every: 60, most: 3 };
    const inForce = async (enforcement = 'e-1', queue = 'root.a') => {
      const [row] = await db.query<[{ token: string | null }]>(
        `SELECT ${LOCK_IN_FORCE}::text AS token
         FROM (SELECT $1::text AS partition, $2::text AS queue, $3::text AS enforcement) AS run`,
        [partition, queue, enforcement],
      );
      return row.token;
    };
    const configure = (policies: object) =>
      db.query(
        `INSERT INTO partitions (partition, digest, format, body, quota_preemption_enabled, applied_at, version, policies)
         VALUES ($1, '', '', '', true, now(), 1, $2) ON CONFLICT (partition) DO UPDATE SET policies = excluded.policies`,
        [partition, JSON.stringify(policies)],
      );
    const round = (state: string) =>
      db.query(
        `INSERT INTO rounds (policy, partition, round, enforcement, fencing_token, state, due_at, started_at, lease_until, settings)
         VALUES ('fair-share', $1, 1, 'e-1', 11, $2, now(), now(), now(), $3)`,
        [partition, state, JSON.stringify(settings)],
      );

    it('is none for a run that no queue, round or lock of its own names', async () => {
      await save(clock('root.a', { enforcement: 'e-2', fencingToken: 8 }));
      await openRun('root.a');
      expect(await inForce()).toBeNull();
    });

    it('is that of the queue while the run has it', async () => {
      await save(clock('root.a', run));
      expect(await inForce()).toBe('7');
      expect(await inForce('e-1', 'root.b')).toBeNull();
      await save(clock('root.a', undefined, 2));
      expect(await inForce()).toBeNull();
    });

    it('is that of a round while it executes by the settings in force', async () => {
      await configure({ 'fair-share': { most: 3, every: 60 } });
      await round('executing');
      expect(await inForce()).toBe('11');
      await configure({ 'fair-share': { most: 4, every: 60 } });
      expect(await inForce()).toBeNull();
      await configure({});
      expect(await inForce()).toBeNull();
    });

    it.each(['wanted', 'planning', 'over'])('is none for a round that is %s', async (state) => {
      await configure({ 'fair-share': settings });
      await round(state);
      expect(await inForce()).toBeNull();
    });

    it('is that of the run itself once its round is over, while its settings are in force', async () => {
      await configure({ 'fair-share': settings });
      await openRun('root.a');
      await db.query("UPDATE runs SET own_lock = true, policy = 'fair-share', settings = $1", [
        JSON.stringify(settings),
      ]);
      expect(await inForce()).toBe('7');
      await configure({ 'fair-share': { ...settings, most: 1 } });
      expect(await inForce()).toBeNull();
      await configure({ 'fair-share': settings });
      await db.query('UPDATE runs SET own_lock = false');
      expect(await inForce()).toBeNull();
    });
  });
});
