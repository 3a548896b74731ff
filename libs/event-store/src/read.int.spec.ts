import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource, QueryRunner } from 'typeorm';
import { append, beginning, readPage, type StoredEvent, type Tx } from '#event-store';
import { marker, markers } from '../../../test/support/events.js';
import { writeWhileReading } from '../../../test/support/many-writers.js';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';

const by = (events: StoredEvent[]) => events.map(({ data }) => (data as { by: string }).by);

describe('readPage', () => {
  let db: DataSource;
  let early: QueryRunner;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(async () => {
    await db.query('TRUNCATE events');
    early = db.createQueryRunner();
  });
  afterEach(async () => {
    if (early.isTransactionActive) await early.rollbackTransaction();
    await early.release();
  });

  const put = (tx: Tx, stream: string, version: number, name: string) =>
    append(tx, [markers(stream, version, marker(name))]);
  const commit = (stream: string, version: number, name: string) =>
    db.transaction((tx) => put(tx, stream, version, name));

  it('does not skip a transaction that takes its place early and commits late', async () => {
    await commit('a', 0, 'first');
    await early.startTransaction();
    await put(early.manager, 'b', 0, 'late');
    await commit('c', 0, 'quick');

    const before = await readPage(db, beginning, { limit: 10 });
    expect(by(before.events)).toEqual(['first']);
    expect(before.heldBack).toBe(true);

    await early.commitTransaction();
    const after = await readPage(db, before.next, { limit: 10 });
    expect(by(after.events)).toEqual(['late', 'quick']);
    expect(after.heldBack).toBe(false);
  });

  it('would skip it with a cursor on the position alone (control)', async () => {
    const readOn = (position: string): Promise<StoredEvent[]> =>
      db.query('SELECT * FROM events WHERE position > $1 ORDER BY position', [position]);
    await early.startTransaction();
    await put(early.manager, 'b', 0, 'late');
    await commit('c', 0, 'quick');

    const before = await readOn('0');
    await early.commitTransaction();
    const after = await readOn(before.at(-1)!.position);
    expect(by([...before, ...after])).toEqual(['quick']);
  });

  it('is not held up by a transaction that is rolled back', async () => {
    await early.startTransaction();
    await put(early.manager, 'b', 0, 'never');
    await commit('c', 0, 'quick');
    await early.rollbackTransaction();
    expect(by((await readPage(db, beginning, { limit: 10 })).events)).toEqual(['quick']);
  });

  describe('when a transaction received its id before another one, and follows it', () => {
    async function followWithOlderId(stream: string, version: number): Promise<void> {
      await early.startTransaction();
      const [own] = await early.query('SELECT pg_current_xact_id()::text AS id');
      await commit('a', 0, 'cause');
      const [cause] = await db.query('SELECT transaction_id::text AS id FROM events');
      // Otherwise the test would prove nothing.
      expect(BigInt(own.id)).toBeLessThan(BigInt(cause.id));
      await put(early.manager, stream, version, 'consequence');
      expect((await readPage(db, beginning, { limit: 10 })).events).toEqual([]);
      await early.commitTransaction();
    }

    it('keeps the order of versions within a stream', async () => {
      await followWithOlderId('a', 1);
      const { events } = await readPage(db, beginning, { limit: 10 });
      expect(events.map(({ version }) => version)).toEqual([1, 2]);
    });

    it('keeps cause before consequence across streams', async () => {
      await followWithOlderId('b', 0);
      expect(by((await readPage(db, beginning, { limit: 10 })).events)).toEqual(['cause', 'consequence']);
    });
  });

  it('loses and reorders nothing among many writers, while it reads', async () => {
    const { seen, written, versions } = await writeWhileReading(db);
    expect(new Set(by(seen)).size).toBe(written);
    expect(seen).toHaveLength(written);
    for (const [stream, last] of versions) {
      const read = seen.filter((event) => event.stream === stream).map(({ version }) => version);
      expect(read).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    }
  });

  it('ends a page at its limit, even in the middle of a transaction, and continues from there', async () => {
    await db.transaction((tx) =>
      append(tx, [markers('a', 0, ...['1', '2', '3', '4', '5'].map((n) => marker(n)))]),
    );
    const pages: string[][] = [];
    for (let cursor = beginning; ; ) {
      const page = await readPage(db, cursor, { limit: 2 });
      if (page.events.length === 0) {
        expect(page.next).toBe(cursor);
        break;
      }
      pages.push(by(page.events));
      cursor = page.next;
    }
    expect(pages).toEqual([['1', '2'], ['3', '4'], ['5']]);
  });

  it('ends a page early if its data are long, but never before the first event', async () => {
    // Random, so that it cannot be compressed.
    const long = () => randomBytes(30_000).toString('base64');
    await db.transaction((tx) =>
      append(tx, [markers('a', 0, ...Array.from({ length: 5 }, () => marker(long())))]),
    );
    const pages: number[] = [];
    for (let cursor = beginning; ; ) {
      const { events, next } = await readPage(db, cursor, { limit: 10, maxBytes: 100_000 });
      if (events.length === 0) break;
      pages.push(events.length);
      cursor = next;
    }
    expect(pages).toEqual([2, 2, 1]);
    expect((await readPage(db, beginning, { limit: 10, maxBytes: 10 })).events).toHaveLength(1);
    const other = await readPage(db, beginning, { limit: 10, maxBytes: 10, topics: ['curtail.quota'] });
    expect((await readPage(db, other.next, { limit: 10 })).events).toEqual([]);
  });

  it('returns the requested topics, and skips the others', async () => {
    await commit('a', 0, 'control');
    await db.transaction((tx) =>
      append(tx, [
        markers('b', 0, {
          event: {
            name: 'QueueRemoved',
            data: { partition: 'default', queue: 'root.a', previous: { max: null, delayMs: 0 } },
          },
          at: new Date(),
          key: 'root.a',
        }),
      ]),
    );
    await commit('a', 1, 'control again');

    const quota = await readPage(db, beginning, { topics: ['curtail.quota'], limit: 2 });
    expect(quota.events.map(({ type }) => type)).toEqual(['io.curtail.queue.removed.v1']);
    const control = await readPage(db, beginning, { topics: ['curtail.control'], limit: 2 });
    expect(by(control.events)).toEqual(['control']);
    expect(control.next).toEqual(quota.next);
    const rest = await readPage(db, control.next, { topics: ['curtail.quota'], limit: 2 });
    expect(rest.events).toEqual([]);
    expect(rest.next).not.toEqual(control.next);
  });
});
