import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { append, openDatabase, readStream, StreamConflict, streamVersion, WakeListener } from '#event-store';
import { createMigratedDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { recordAt } from '../../../test/support/past-months.js';
import { Recorded } from '../../../test/support/recorded.js';

describe('append', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });

  it('counts versions from 1 in each stream, and returns the written events', async () => {
    const at = new Date('2026-11-21T10:00:00.123Z');
    await db.transaction((tx) =>
      append(tx, [
        markers('one', 0, marker('1', 'root.one', at), marker('2', 'root.one', at)),
        markers('two', 0, marker('1', 'root.two', at)),
      ]),
    );
    await db.transaction((tx) => append(tx, [markers('one', 2, marker('3', 'root.one', at))]));

    const events = await readStream(db, 'one');
    expect(events.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(events[2]).toMatchObject({
      stream: 'one',
      type: 'io.curtail.killswitch.cleared.v1',
      topic: 'curtail.control',
      partition: 'default',
      key: 'root.one',
      time: at,
      data: { partition: 'default', queue: 'root.one', by: '3' },
    });
    expect(await readStream(db, 'one', { afterVersion: 1, limit: 1 })).toEqual([events[1]]);
    expect([
      await streamVersion(db, 'one'),
      await streamVersion(db, 'two'),
      await streamVersion(db, 'no'),
    ]).toEqual([3, 1, 0]);
  });

  it('announces its topics, and whether a run waits for its events', async () => {
    const wakes = new Recorded<string[]>();
    const listener = new WakeListener((db.options as { url: string }).url);
    listener.onWake((topics) => wakes.add(topics));
    await listener.start();
    await wakes.first(1);
    const at = '2026-11-21T10:00:00.123Z';
    const run = { partition: 'p', queue: 'root.a', enforcement: 'e-1', fencingToken: 1 };
    const times = { openedAt: at, deadlineAt: at };
    const opened: DomainEvent = {
      name: 'EnforcementOpened',
      data: {
        ...run,
        ...times,
        mode: 'enforce',
        max: { memory: 1 },
        victims: 1,
        needsApproval: true,
        notices: [],
      },
    };
    await db.transaction((tx) => append(tx, [markers('run', 0, { event: opened, key: 'root.a' })]));
    await db.transaction((tx) => append(tx, [markers('any', 0, marker('1'))]));
    const announced = await wakes.first(3);
    await listener.stop();
    expect(announced).toEqual([[], ['curtail.evictions'], ['curtail.control', 'awaited']]);
  });

  it('keeps the keys of the data in their given order', async () => {
    const data = { queue: 'root.a', by: 'order', partition: 'default' };
    const event = { event: { name: 'KillSwitchCleared', data }, at: new Date(), key: 'root.a' } as const;
    await db.transaction((tx) => append(tx, [markers('keys', 0, event)]));
    const [read] = await readStream(db, 'keys');
    expect(JSON.stringify(read?.data)).toBe(JSON.stringify(data));
  });

  it('writes long data beside short ones, each to its own event', async () => {
    const long = (letter: string) => `"${letter}\\`.repeat(50_000);
    const events = [long('a'), 'short', long('b'), long('c')].map((by) => marker(by, 'root.long'));
    await db.transaction((tx) =>
      append(tx, [markers('long-1', 0, ...events.slice(0, 3)), markers('long-2', 0, ...events.slice(3))]),
    );
    const read = [...(await readStream(db, 'long-1')), ...(await readStream(db, 'long-2'))];
    expect(read.map(({ data }) => data)).toEqual(events.map(({ event }) => event.data));
  });

  it.each([
    ['moved on', 0],
    ['is not yet there', 2],
  ])('refuses a stream that %s, and writes nothing of the whole append', async (_, expectedVersion) => {
    const stream = `stream-${expectedVersion}`;
    await db.transaction((tx) => append(tx, [markers(stream, 0, marker('first'))]));
    const attempt = db.transaction((tx) =>
      append(tx, [markers('beside', 0, marker('x')), markers(stream, expectedVersion, marker('second'))]),
    );
    await expect(attempt).rejects.toThrow(StreamConflict);
    await expect(attempt).rejects.toThrow(`${stream}@${expectedVersion}`);
    expect([await streamVersion(db, stream), await streamVersion(db, 'beside')]).toEqual([1, 0]);
  });

  it('checks the heads of its streams only, also where it was planned while there were none', async () => {
    const fresh = await createMigratedDatabase();
    const one = await openDatabase(fresh.url, { poolSize: 1 });
    for (let n = 0; n < 10; n++)
      await one.transaction((tx) => append(tx, [markers('first', n, marker(`${n}`))]));
    await one.transaction((tx) =>
      append(
        tx,
        Array.from({ length: 500 }, (_, n) => markers(`stream-${n}`, 0, marker('1'))),
      ),
    );
    for (let n = 10; n < 20; n++)
      await one.transaction((tx) => append(tx, [markers('first', n, marker(`${n}`))]));
    await one.query('SELECT pg_stat_force_next_flush()');
    const [{ read }] = await one.query(
      "SELECT seq_tup_read::int AS read FROM pg_stat_user_tables WHERE relname = 'stream_heads'",
    );
    expect(read).toBeLessThan(500);
    await one.destroy();
    await fresh.drop();
  });

  it('does not read through a log whose newest event is days old', async () => {
    const fresh = await createMigratedDatabase();
    const one = await openDatabase(fresh.url, { poolSize: 1 });
    await recordAt(one, "clock_timestamp() - interval '50 hours'");
    const old = Array.from({ length: 500 }, (_, n) => markers(`stream-${n}`, 0, marker('1')));
    await one.transaction((tx) => append(tx, old));
    await recordAt(one);
    const read = async (): Promise<number> => {
      await one.query('SELECT pg_stat_force_next_flush()');
      const [{ rows }] = await one.query(`
        SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_user_tables
        WHERE relname LIKE 'events_%' AND relname <> 'event_ids'`);
      return rows;
    };
    const before = await read();
    await one.transaction((tx) => append(tx, [markers('first', 0, marker('1'))]));
    expect((await read()) - before).toBeLessThan(100);
    await one.destroy();
    await fresh.drop();
  });

  it('accepts exactly one of many appenders at the same version', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) =>
        db.transaction((tx) => append(tx, [markers('contended', 0, marker(String(i)))])),
      ),
    );
    const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(lost).toHaveLength(7);
    for (const reason of lost) expect(reason).toBeInstanceOf(StreamConflict);
    const winner = results.findIndex((result) => result.status === 'fulfilled');
    const events = await readStream(db, 'contended');
    expect(events.map(({ data }) => (data as { by: string }).by)).toEqual([String(winner)]);
  });

  it('never writes an event that breaks its schema', async () => {
    const broken = marker('x');
    (broken.event.data as { by: unknown }).by = 7;
    await expect(db.transaction((tx) => append(tx, [markers('broken', 0, broken)]))).rejects.toThrow(/by/);
    expect(await streamVersion(db, 'broken')).toBe(0);
  });
});
