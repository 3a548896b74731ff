import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { runStream } from '#event-store';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { OpenRuns } from './open-runs.js';

/** A time that is due at once is rounded to the millisecond, which may be half a millisecond from now. */
const roundDown = (database: DataSource) =>
  database.query(
    "UPDATE runs SET next_step_at = next_step_at - interval '1 millisecond' WHERE lease_owner IS NULL",
  );

describe('the hold of a run', () => {
  let database: DataSource;
  let openRuns: OpenRuns;
  const run = { enforcement: 'e-1', partition: 'default', queue: 'root.a', fencingToken: 7 };
  const held = { ...run, deaths: 0 };

  withMigratedDatabase((opened) => {
    database = opened;
  });
  beforeEach(async () => {
    openRuns = new OpenRuns(database);
    await database.query('DELETE FROM runs');
    await database.transaction((tx) => openRuns.add(tx, [run]));
    await roundDown(database);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is taken by one process', async () => {
    expect((await openRuns.claim(10, [])).runs).toEqual([held]);
    expect((await new OpenRuns(database).claim(10, [])).runs).toEqual([]);
  });

  it('is taken back at once by the process that has it and lost track of it while the database was away', async () => {
    await openRuns.claim(10, []);
    expect((await openRuns.claim(10, [])).runs).toEqual([held]);
  });

  it('is with the process that adds a run and begins at once, unless the run was there before', async () => {
    const added = { ...run, enforcement: 'e-2' };
    const hold = () => database.transaction((tx) => openRuns.add(tx, [run, added], { hold: true }));
    expect(await hold()).toEqual([{ ...added, deaths: 0 }]);
    expect(await hold()).toEqual([]);
    expect((await new OpenRuns(database).claim(10, [])).runs).toEqual([held]);
    expect((await openRuns.claim(10, [])).runs).toEqual([{ ...added, deaths: 0 }]);
  });

  it('is not taken a second time by the process that carries the run out, however long a step takes', async () => {
    await openRuns.claim(10, []);
    await database.query(`UPDATE runs SET lease_until = now() - interval '1 minute'`);
    expect((await openRuns.claim(10, [run.enforcement])).runs).toEqual([]);
    expect((await new OpenRuns(database).claim(10, [])).runs).toEqual([{ ...held, deaths: 1 }]);
    // It asks again only after a while, in which a hold cannot have been lost.
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 15_000);
    expect(await openRuns.keepHold(run.enforcement)).toBe(false);
  });
});

describe('processes that crash with runs', () => {
  let database: DataSource;
  withMigratedDatabase((opened) => {
    database = opened;
  });
  beforeEach(async () => {
    await database.query('DELETE FROM runs');
  });

  const add = (...enforcements: string[]) =>
    database.transaction((tx) =>
      new OpenRuns(database).add(
        tx,
        enforcements.map((enforcement) => ({
          ...{ enforcement, partition: 'p', queue: `root.${enforcement}`, fencingToken: 1 },
        })),
      ),
    );
  /** Expires the holds of all runs, as of a crashed process. */
  const holdsRunOut = () =>
    database.query(`UPDATE runs SET lease_until = now() - interval '1 second' WHERE lease_owner IS NOT NULL`);
  const deathsOf = async (process: OpenRuns, carried: string[] = [], mayTakeSuspect = true) => {
    await roundDown(database);
    const { runs } = await process.claim(10, carried, mayTakeSuspect);
    return Object.fromEntries(runs.map(({ enforcement, deaths }) => [enforcement, deaths]));
  };
  const newProcess = () => new OpenRuns(database);
  const recordSomething = (enforcement: string, version: number) =>
    database.query(
      `INSERT INTO stream_heads (stream, version, from_version) VALUES ($1, $2, $2)
       ON CONFLICT (stream) DO UPDATE SET version = $2`,
      [runStream(enforcement), version],
    );

  it('one after the other are counted', async () => {
    await add('a');
    for (const deaths of [0, 1, 2, 3]) {
      expect(await deathsOf(newProcess())).toEqual({ a: deaths });
      await holdsRunOut();
    }
  });

  it('are forgotten once the run has recorded something', async () => {
    await add('grows');
    await deathsOf(newProcess());
    await holdsRunOut();
    expect(await deathsOf(newProcess())).toEqual({ grows: 1 });
    await recordSomething('grows', 1);
    await holdsRunOut();
    expect(await deathsOf(newProcess())).toEqual({ grows: 0 });
  });

  it('are forgotten when a process releases the run, unless it was only giving it up', async () => {
    await add('a');
    await deathsOf(newProcess());
    await holdsRunOut();
    const second = newProcess();
    expect(await deathsOf(second)).toEqual({ a: 1 });
    await second.release('a', 0, { forgetDeaths: false });
    expect(await deathsOf(second)).toEqual({ a: 1 });
    await second.release('a', 0, { forgetDeaths: true });
    expect(await deathsOf(second)).toEqual({ a: 0 });
  });

  it('are not counted for a process that takes back its own runs', async () => {
    await add('a');
    const process = newProcess();
    await deathsOf(process);
    await holdsRunOut();
    expect(await deathsOf(process)).toEqual({ a: 0 });
  });

  it('leave runs of which a process carries out one at a time, the one with the most deaths first', async () => {
    await add('a', 'b', 'c');
    await deathsOf(newProcess());
    await holdsRunOut();
    const second = newProcess();
    const [first] = Object.keys(await deathsOf(second));
    await holdsRunOut();
    const third = newProcess();
    await add('d');
    expect(await deathsOf(third)).toEqual({ [first!]: 2, d: 0 });
    // A process that holds a suspect takes no other, and does not wait for any.
    await add('e');
    await roundDown(database);
    const { runs, nextDueInMs } = await third.claim(10, [first!, 'd'], false);
    expect(runs.map(({ enforcement }) => enforcement)).toEqual(['e']);
    expect(nextDueInMs).toBeGreaterThan(10_000);
    const others = ['a', 'b', 'c'].filter((name) => name !== first);
    const fourth = Object.entries(await deathsOf(newProcess()));
    expect(fourth).toEqual([[expect.stringMatching(others.join('|')), 1]]);
  });

  it('are counted where another process, the only one, takes over everything', async () => {
    await add('held', 'waiting');
    const process = newProcess();
    await deathsOf(process);
    await process.release('waiting', 0, { forgetDeaths: true });
    await newProcess().takeOverAll();
    expect(await deathsOf(newProcess())).toEqual({ held: 1, waiting: 0 });
  });
});
