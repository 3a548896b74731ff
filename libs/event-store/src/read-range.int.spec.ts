import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { topics } from '#contracts/events';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { append } from './append.js';
import { openDatabase } from './database.js';
import { countBehind, countRange, type LogRange, readOutgoingRange, readRange } from './read-range.js';
import { beginning, type Cursor } from './stored-event.js';

let server: TestDatabase;
let db: DataSource;
beforeEach(async () => {
  server = await createMigratedDatabase();
  db = await openDatabase(server.url);
});
afterEach(async () => {
  await db.destroy();
  await server.drop();
});

const day = (number: number) => new Date(Date.UTC(2026, 10, number));
let streams = 0;
const record = (by: string, at = day(1)) =>
  db.transaction((tx) => append(tx, [markers(`s-${streams++}`, 0, marker(by, 'root.a', at))]));

/** All pages from a place on: the authors on each, and the number of events that each covers. */
async function pages(range: LogRange, limit: number, from: Cursor = beginning) {
  const found: { by: string[]; passed: number }[] = [];
  for (let cursor = from; ; ) {
    const page = await readRange(db, cursor, range, limit);
    found.push({ by: page.events.map(({ data }) => (data as { by: string }).by), passed: page.passed });
    cursor = page.next;
    if (page.atEnd) return { found, end: cursor };
  }
}

describe('a range of the log', () => {
  it('is read in pages that also cover unrequested events', async () => {
    for (const [i, by] of ['a', 'b', 'c', 'd', 'e'].entries()) await record(by, day(i + 1));
    const wanted = { from: day(2).toISOString(), to: day(5).toISOString() };
    expect((await pages(wanted, 2)).found).toEqual([
      { by: ['b'], passed: 2 },
      { by: ['c', 'd'], passed: 2 },
      { by: [], passed: 1 },
    ]);
    expect(await countRange(db, wanted)).toBe(3);
    expect((await pages({ topic: topics.plans }, 10)).found).toEqual([{ by: [], passed: 5 }]);
    expect((await pages({ types: ['io.curtail.killswitch.cleared.v1'] }, 10)).found[0]?.passed).toBe(5);
  });

  it('ends a page early for long events, but always has one', async () => {
    // Incompressible data: the sizes are the stored ones.
    const long = () => Array.from({ length: 80_000 }, () => Math.random().toString(36).slice(2)).join('');
    const text = long();
    for (let i = 0; i < 6; i++) await record(`${i}${text}`);
    const { found } = await pages({}, 100);
    expect(found.length).toBeGreaterThan(1);
    expect(found.flatMap(({ by }) => by.map((by) => by[0]))).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(found.every(({ passed }) => passed >= 1)).toBe(true);
  });

  it('ends at a given place, and continues after it', async () => {
    for (const by of ['a', 'b', 'c']) await record(by);
    const { next: through } = await readRange(db, beginning, {}, 2);
    expect((await pages({ through }, 10)).found).toEqual([{ by: ['a', 'b'], passed: 2 }]);
    expect((await pages({}, 10, through)).found).toEqual([{ by: ['c'], passed: 1 }]);
    expect(await countBehind(db, through)).toBe(1);
  });

  it('does not skip events that an older transaction has yet to commit', async () => {
    const late = db.createQueryRunner();
    await late.startTransaction();
    await append(late.manager, [markers('late', 0, marker('late'))]);
    await record('early');
    expect((await pages({}, 10)).found).toEqual([{ by: [], passed: 0 }]);
    await late.commitTransaction();
    await late.release();
    expect((await pages({}, 10)).found[0]?.by.sort()).toEqual(['early', 'late']);
  });

  it('is exported exactly, with all its fields', async () => {
    await record('a');
    const [{ text, ...row }] = await db.query(
      'SELECT id, stream, version, topic, position::text, data::text AS text FROM events',
    );
    const { events } = await readOutgoingRange(db, beginning, {}, 10);
    expect(events).toEqual([expect.objectContaining({ ...row, data: text })]);
  });
});
