import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import {
  clearTimers,
  dueMoments,
  duePartitions,
  dueTimers,
  pendingTimers,
  setTimers,
  type Timer,
  type TimerKey,
  type TimerState,
} from '#timers';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';

const now = new Date('2026-11-21T10:00:00.000Z');
const timer = (name: string, inMs: number, state: TimerState = 'pending', partition = 'default'): Timer => ({
  kind: 'quota',
  partition,
  name,
  generation: 1,
  dueAt: new Date(now.getTime() + inMs),
  state,
});
const names = (timers: TimerKey[]) => timers.map(({ name }) => name);

describe('the timer table', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(() => db.query('TRUNCATE timers'));
  const set = (...timers: Timer[]) => db.transaction((tx) => setTimers(tx, timers));
  const due = (limit = 10, partition = 'default') => dueTimers(db, 'quota', now, { limit, partition });

  it('gives what is due: the longest due first, then the deeper path, then by name', async () => {
    await set(
      timer('root.b', -10),
      timer('root.a', -10),
      timer('root.a.deep', -10),
      timer('root.old', -5000),
      timer('root.exactly', 0),
      timer('root.later', 1),
      timer('root.waiting', -10, 'waiting'),
      timer('root.suspended', -10, 'suspended'),
      timer('root.elsewhere', -20, 'pending', 'other'),
    );
    await set({ ...timer('root.kind', -10), kind: 'another' });
    expect(names(await due())).toEqual(['root.old', 'root.a.deep', 'root.a', 'root.b', 'root.exactly']);
    expect(names(await due(2))).toEqual(['root.old', 'root.a.deep']);
    expect(await due(10, 'other')).toEqual([timer('root.elsewhere', -20, 'pending', 'other')]);
  });

  it('sets a timer again: one row, of the last generation', async () => {
    await set(timer('root.a', -10));
    await set({ ...timer('root.a', -5), generation: 2 });
    expect(await due()).toEqual([{ ...timer('root.a', -5), generation: 2 }]);
  });

  it('deletes a timer, but not its namesakes in other partitions', async () => {
    await set(timer('root.a', -2), timer('root.a', -1, 'pending', 'other'), timer('root.b', -3));
    await db.transaction((tx) => clearTimers(tx, [timer('root.a', 0), timer('root.none', 0)]));
    expect(names(await due())).toEqual(['root.b']);
    expect(names(await due(10, 'other'))).toEqual(['root.a']);
  });

  it('returns each partition with due timers once, however many are due', async () => {
    await set(
      ...Array.from({ length: 1500 }, (_, n) => timer(`root.q${n}`, -5000, 'pending', 'silent')),
      timer('root.a', -1, 'pending', 'other'),
      timer('root.a', 1, 'pending', 'later'),
      timer('root.a', -1, 'waiting', 'held'),
    );
    await set({ ...timer('root.a', -1, 'pending', 'another'), kind: 'interval' });
    const quota = ['other', 'silent'];
    expect(await duePartitions(db, ['quota'], now)).toEqual(new Map([['quota', quota]]));
    const both = new Map([
      ['interval', ['another']],
      ['quota', quota],
    ]);
    expect(await duePartitions(db, ['quota', 'interval'], now)).toEqual(both);
  });

  it('pages through everything that is pending', async () => {
    await set(
      ...['e', 'c', 'a', 'd', 'b'].map((name) => timer(name, 1000)),
      timer('a', 1000, 'pending', 'another'),
      timer('waiting', 0, 'waiting'),
    );
    const pages: string[][] = [];
    for (let after: TimerKey | undefined; ; ) {
      const page = await pendingTimers(db, 'quota', after ? { after, limit: 4 } : { limit: 4 });
      if (page.length === 0) break;
      pages.push(page.map(({ partition, name }) => `${partition}/${name}`));
      after = page.at(-1);
    }
    expect(pages).toEqual([
      ['another/a', 'default/a', 'default/b', 'default/c'],
      ['default/d', 'default/e'],
    ]);
  });

  it('returns each due time of a partition once', async () => {
    await set(
      timer('root.a', 100),
      timer('root.b', 100),
      timer('root.c', 499),
      timer('root.overdue', -10),
      timer('root.next', 500),
      timer('root.waiting', 50, 'waiting'),
      timer('root.elsewhere', 60, 'pending', 'other'),
    );
    const until = new Date(now.getTime() + 500);
    const moments = await dueMoments(db, 'quota', 'default', until);
    expect(moments.map((moment) => moment.getTime() - now.getTime()).sort((a, b) => a - b)).toEqual([
      -10, 100, 499,
    ]);
  });
});
