import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import {
  addPartitionsAhead,
  append,
  beginning,
  openDatabase,
  readEventsById,
  readPage,
  readStream,
  StreamConflict,
  streamVersion,
} from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { writeWhileReading } from '../../../test/support/many-writers.js';

let server: TestDatabase;
let db: DataSource;

async function open(made: Promise<TestDatabase>): Promise<void> {
  server = await made;
  db = await openDatabase(server.url);
}
afterEach(async () => {
  await db.destroy();
  await server.drop();
});

/** The partitions that hold events. */
async function filled(): Promise<string[]> {
  const rows = await db.query<{ name: string }[]>(
    'SELECT DISTINCT tableoid::regclass::text AS name FROM events ORDER BY 1',
  );
  return rows.map(({ name }) => name);
}

/** Records further events in another month. */
const pretend = (moment: string) =>
  db.query(`ALTER TABLE events ALTER COLUMN recorded_at SET DEFAULT ${moment}`);

describe('the partitions of the log', () => {
  beforeEach(() => open(createMigratedDatabase()));

  /** Events of the same streams in the first partition, the next one and the one after. */
  async function appendOverMonths(): Promise<void> {
    for (const [months, version] of [0, 1, 2].entries()) {
      await pretend(`clock_timestamp() + interval '${months * 40} days'`);
      await db.transaction((tx) =>
        append(tx, [
          markers('a', version, marker(`a${version}`)),
          markers('b', version, marker(`b${version}`)),
        ]),
      );
    }
  }

  it('hold one log: streams, ids and the order of commits are read across them', async () => {
    await appendOverMonths();
    expect(await filled()).toHaveLength(3);
    const stream = await readStream(db, 'a');
    expect(stream.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(await streamVersion(db, 'a')).toBe(3);
    const { events } = await readPage(db, beginning, { limit: 100 });
    expect(events.map(({ stream, version }) => `${stream}${version}`)).toEqual([
      'a1',
      'b1',
      'a2',
      'b2',
      'a3',
      'b3',
    ]);
    const found = await readEventsById(
      db,
      events.map(({ id }) => id),
      new Set(),
    );
    expect([...found.keys()].sort()).toEqual(events.map(({ id }) => id).sort());
  });

  it('refuse a version that a stream has in another one, as a conflict', async () => {
    await appendOverMonths();
    for (const version of [0, 1, 2]) {
      const attempt = db.transaction((tx) => append(tx, [markers('a', version, marker('again'))]));
      await expect(attempt).rejects.toThrow(StreamConflict);
    }
    expect(await streamVersion(db, 'a')).toBe(3);
  });

  it('refuse events that other SQL writes, under the name of a constraint', async () => {
    await appendOverMonths();
    const insert = (version: number, id = 'gen_random_uuid()') =>
      db.query(
        `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
         SELECT stream, $1, ${id}, type, topic, partition, key, time, data FROM events WHERE stream = 'a' AND version = 1`,
        [version],
      );
    await expect(insert(2)).rejects.toMatchObject({
      driverError: { code: '23505', constraint: 'events_stream_version' },
    });
    await expect(insert(4, 'id')).rejects.toMatchObject({ driverError: { code: '23505' } });
    await insert(4);
    expect(await streamVersion(db, 'a')).toBe(4);
  });

  it('refuse two equal versions in one statement', async () => {
    await expect(
      db.query(
        `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data, recorded_at)
         SELECT 'twice', 1, gen_random_uuid(), 'type', 'topic', 'p', 'k', now(), '{}', now() + n * interval '40 days'
         FROM generate_series(1, 2) AS n`,
      ),
    ).rejects.toMatchObject({ driverError: { constraint: 'events_stream_version' } });
  });

  it('accept one of many appenders, while others read every event once and in order', async () => {
    await pretend("clock_timestamp() + (random() * 60) * interval '1 day'");
    const { seen, written, versions } = await writeWhileReading(db);
    expect(seen).toHaveLength(written);
    for (const [stream, version] of versions) {
      const read = seen.filter((event) => event.stream === stream).map((event) => event.version);
      expect(read).toEqual(Array.from({ length: version }, (_, i) => i + 1));
    }
    expect((await filled()).length).toBeGreaterThan(1);
    const races = await Promise.allSettled(
      Array.from({ length: 8 }, () => db.transaction((tx) => append(tx, [markers('race', 0, marker('x'))]))),
    );
    expect(races.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const race of races)
      if (race.status === 'rejected') expect(race.reason).toBeInstanceOf(StreamConflict);
  });

  it('are added ahead of the months, once, and take events that had no partition', async () => {
    expect(await addPartitionsAhead(db)).toEqual([]);
    // As if no partitions had been added for a long time.
    const names: { name: string }[] = await db
      .query("DELETE FROM log_partitions WHERE starts_at <> '-infinity' RETURNING name")
      .then(([rows]) => rows);
    for (const { name } of names) await db.query(`DROP TABLE ${name}`);
    await pretend("clock_timestamp() + interval '45 days'");
    await db.transaction((tx) => append(tx, [markers('late', 0, marker('1'), marker('2'))]));
    expect(await filled()).toEqual(['events_rest']);
    await db.query("UPDATE log_partitions SET ends_at = date_trunc('month', now(), 'UTC')");
    await db.query('ALTER TABLE events DETACH PARTITION events_first');
    await db.query(
      `DO $$ BEGIN EXECUTE format('ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM (MINVALUE) TO (%L)',
        date_trunc('month', now(), 'UTC')); END $$`,
    );
    const added = await Promise.all([addPartitionsAhead(db), addPartitionsAhead(db)]);
    expect(added.map(({ length }) => length).sort()).toEqual([0, 3]);
    expect(await filled()).not.toContain('events_rest');
    expect((await readStream(db, 'late')).map(({ version }) => version)).toEqual([1, 2]);
    await db.transaction((tx) => append(tx, [markers('late', 2, marker('3'))]));
  });
});
