import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource, QueryRunner } from 'typeorm';
import {
  append,
  beginning,
  type Cursor,
  continueLog,
  openDatabase,
  readPage,
  readRange,
  type StoredEvent,
  type Tx,
} from '#event-store';
import { until } from '../../../test/faults/until.js';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { writeWhileReading } from '../../../test/support/many-writers.js';

const by = (events: StoredEvent[]) => events.map(({ data }) => (data as { by: string }).by);

describe('continueLog', () => {
  let server: TestDatabase;
  let db: DataSource;
  let early: QueryRunner;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    early = db.createQueryRunner();
  });
  afterEach(async () => {
    if (early.isTransactionActive) await early.rollbackTransaction();
    await early.release();
    await db.destroy();
    await server.drop();
  });

  const put = (tx: Tx, stream: string, version: number, name: string) =>
    append(tx, [markers(stream, version, marker(name))]);
  const commit = (stream: string, version: number, name: string) =>
    db.transaction((tx) => put(tx, stream, version, name));
  const read = async (cursor: Cursor = beginning) => readPage(db, cursor, { limit: 100 });

  /** Makes the log look like a dump of a much older cluster. @returns the newest id of the log. */
  async function comeFromElsewhere(ahead = 1_000_000): Promise<bigint> {
    await db.query('UPDATE events SET transaction_id = (transaction_id::text::bigint + $1)::text::xid8', [
      ahead,
    ]);
    return newest();
  }
  async function newest(): Promise<bigint> {
    const [row] = await db.query('SELECT max(transaction_id::text::bigint)::text AS id FROM events');
    return BigInt(row.id);
  }

  /** Waits until this many wait for the appenders; or the log was moved without waiting, which a test detects. */
  const waitersForLock = (count: number) =>
    until(
      async () => server.url,
      `SELECT EXISTS (SELECT FROM log_epoch WHERE ahead > 0) OR ${count} =
              (SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'events'::regclass)`,
      () => 'no transaction waits for the lock',
    );

  it('does nothing in the cluster where the log began, and waits for no appender', async () => {
    expect(await continueLog(db)).toBeUndefined();
    await commit('a', 0, 'first');
    await early.startTransaction();
    await put(early.manager, 'b', 0, 'under way');
    expect(await continueLog(db)).toBeUndefined();
    expect(await db.query('SELECT ahead::int FROM log_epoch')).toEqual([{ ahead: 0 }]);
  });

  it('makes new events readable that follow those from another cluster', async () => {
    await commit('a', 0, 'old');
    const last = await comeFromElsewhere();
    await commit('a', 1, 'unread');
    // The defect.
    expect(by((await read()).events)).toEqual([]);

    expect(await continueLog(db)).toEqual({ position: '2', ahead: expect.stringMatching(/^\d+$/) });
    const { next, ...page } = await read();
    expect([by(page.events), page.heldBack]).toEqual([['old', 'unread'], false]);
    await commit('a', 2, 'new');
    expect(await newest()).toBeGreaterThan(last);
    expect(by((await read(next)).events)).toEqual(['new']);
    expect((await readRange(db, next, {}, 10)).events).toHaveLength(1);
  });

  it('continues in a third cluster, and where the row of the epoch is lost', async () => {
    await commit('a', 0, 'one');
    await comeFromElsewhere();
    await continueLog(db);
    await commit('a', 1, 'two');
    await comeFromElsewhere();
    expect(await continueLog(db)).toBeDefined();
    await db.query('DELETE FROM log_epoch');
    expect(await continueLog(db)).toMatchObject({ position: '2' });
    await commit('a', 2, 'three');
    expect(by((await read()).events)).toEqual(['one', 'two', 'three']);
  });

  it('is not needed where the row of the epoch is lost and the log never moved', async () => {
    await db.query('DELETE FROM log_epoch');
    await commit('a', 0, 'one');
    expect(by((await read()).events)).toEqual(['one']);
    expect(await continueLog(db)).toBeUndefined();
  });

  it('is done by one of several who start at the same time', async () => {
    await commit('a', 0, 'old');
    await comeFromElsewhere();
    await early.startTransaction();
    await put(early.manager, 'b', 0, 'under way');
    const moves = [1, 2, 3].map(() => continueLog(db));
    await waitersForLock(3);
    await early.commitTransaction();
    expect((await Promise.all(moves)).filter(Boolean)).toHaveLength(1);
  });

  it('holds back events that follow a transaction that received its id before and appends after', async () => {
    await commit('a', 0, 'old');
    const last = await comeFromElsewhere();
    await early.startTransaction();
    await early.query('SELECT pg_current_xact_id()');
    await continueLog(db);
    await commit('b', 0, 'quick');
    const before = await read();
    expect([by(before.events), before.heldBack]).toEqual([['old'], true]);

    await put(early.manager, 'c', 0, 'late');
    await early.commitTransaction();
    expect(by((await read(before.next)).events).sort()).toEqual(['late', 'quick']);
    const ids = await db.query<{ id: string }[]>(
      'SELECT transaction_id::text AS id FROM events WHERE events.position > 1',
    );
    for (const { id } of ids) expect(BigInt(id)).toBeGreaterThan(last);
  });

  it('waits for appenders: otherwise their events would be skipped', async () => {
    await commit('a', 0, 'old');
    await comeFromElsewhere();
    await early.startTransaction();
    await put(early.manager, 'b', 0, 'under way');
    await commit('c', 0, 'quick');
    const move = continueLog(db);
    await waitersForLock(1);
    const before = await read();
    await early.commitTransaction();
    await move;
    const after = await read(before.next);
    expect([...by(before.events), ...by(after.events)]).toEqual(['old', 'under way', 'quick']);
  });

  it('loses and reorders nothing among many writers, while a reader reads', async () => {
    await commit('old', 0, 'old');
    await comeFromElsewhere();
    let move: Promise<unknown> | undefined;
    const { seen, written, versions } = await writeWhileReading(db, () => {
      move = continueLog(db);
    });
    expect(await move).toBeDefined();
    expect(new Set(by(seen)).size).toBe(written + 1);
    expect(seen).toHaveLength(written + 1);
    for (const [stream, last] of versions) {
      const read = seen.filter((event) => event.stream === stream).map(({ version }) => version);
      expect(read).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    }
  });
});
