import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { append, continueLog, openDatabase, WakeListener } from '#event-store';
import { type EventBus, InProcessBus } from '#messaging';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { TestKafka } from '../../../../test/support/kafka.js';
import { createRecords, Recorder } from '../../../../test/support/recorder.js';
import { HandledPlace } from './handled-place.js';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `a${i + 1}`);

describe('one system in two shapes', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let wake: WakeListener;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    await createRecords(db);
    kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`);
    wake = new WakeListener(server.url);
    await wake.start();
  });
  afterEach(async () => {
    await kafka.close();
    await wake.stop();
    await db.destroy();
    await server.drop();
  });

  const put = (from: number, count: number) =>
    db.transaction((tx) =>
      append(tx, [
        markers(
          'a',
          from,
          ...numbered(from + count)
            .slice(from)
            .map((name) => marker(name)),
        ),
      ]),
    );
  /** As after the retention of the inbox. */
  const forgetMarks = () => db.query('TRUNCATE inbox');
  async function runUntil(bus: EventBus, names: string[]): Promise<Recorder> {
    const recorder = new Recorder(db, 'one');
    bus.subscribe(recorder);
    await bus.start();
    await recorder.committed.first(names.length);
    await bus.stop();
    return recorder;
  }

  it('switches from in process to Kafka and back, loses nothing and repeats nothing, even without the marks', async () => {
    await put(0, 5);
    await runUntil(new InProcessBus({ database: db, wake }), numbered(5));

    await forgetMarks();
    await kafka.relay(server.url);
    await put(5, 5);
    await runUntil(kafka.bus({ database: db }), numbered(10).slice(5));
    await new HandledPlace(db, { name: 'one', topics: ['curtail.control'] }).advance();

    await forgetMarks();
    await put(10, 2);
    const recorder = await runUntil(new InProcessBus({ database: db, wake }), ['a11', 'a12']);
    expect(await recorder.records()).toEqual(numbered(12));
  });

  it('switches back without a recorded place: the marks are enough', async () => {
    await kafka.relay(server.url);
    await put(0, 5);
    await runUntil(kafka.bus({ database: db }), numbered(5));
    await put(5, 1);
    const recorder = await runUntil(new InProcessBus({ database: db, wake }), ['a6']);
    expect(await recorder.records()).toEqual(numbered(6));
  });

  it('repeats nothing for a group whose offsets are lost, even without the marks', async () => {
    await kafka.relay(server.url);
    await put(0, 5);
    const bus = kafka.bus({ database: db, noteEveryMs: 10 });
    const recorder = new Recorder(db, 'one');
    bus.subscribe(recorder);
    await bus.start();
    await recorder.committed.first(5);
    const place = new HandledPlace(db, recorder);
    for (;;) {
      await place.load();
      if (place.covers(await lastOf(db))) break;
    }
    await bus.stop();

    await forgetMarks();
    const admin = kafka.connection.admin();
    await admin.connect();
    await admin.deleteGroups([kafka.connection.groupName('one')]);
    await admin.disconnect();
    await put(5, 1);
    expect(await (await runUntil(kafka.bus({ database: db }), ['a6'])).records()).toEqual(numbered(6));
  });

  it('never records an unhandled event as handled, even in the middle', async () => {
    await put(0, 4);
    const place = new HandledPlace(db, { name: 'one', topics: ['curtail.control'] });
    const rows = await db.query<{ id: string; transactionId: string; position: string }[]>(
      'SELECT id, transaction_id::text AS "transactionId", position::text FROM events ORDER BY position',
    );
    for (const nr of [0, 1, 3]) {
      await db.query('INSERT INTO inbox (consumer, event_id) VALUES ($1, $2)', ['one', rows[nr]!.id]);
    }
    await place.advance();
    expect(rows.map((row) => place.covers(row))).toEqual([true, true, false, false]);
    await db.query('INSERT INTO inbox (consumer, event_id) VALUES ($1, $2)', ['one', rows[2]!.id]);
    await place.advance();
    expect(rows.map((row) => place.covers(row))).toEqual([true, true, true, true]);
  });

  it('moves over irrelevant events, but not over a relevant one', async () => {
    await put(0, 3);
    const topics = ['curtail.control'] as const;
    const unwilling = new HandledPlace(db, { name: 'one', topics, events: ['KillSwitchSet'] });
    await unwilling.advance();
    expect(unwilling.covers(await lastOf(db))).toBe(true);
    const willing = new HandledPlace(db, { name: 'two', topics, events: ['KillSwitchCleared'] });
    await willing.load();
    await willing.advance();
    expect(willing.covers(await lastOf(db))).toBe(false);
  });

  it('records events handled in another PostgreSQL cluster, and later ones', async () => {
    await put(0, 2);
    await db.query('UPDATE events SET transaction_id = (transaction_id::text::bigint + 1000000)::text::xid8');
    await continueLog(db);
    await put(2, 1);
    await db.query(`INSERT INTO inbox (consumer, event_id) SELECT 'one', id FROM events`);
    const place = new HandledPlace(db, { name: 'one', topics: ['curtail.control'] });
    await place.advance();
    expect(place.covers(await lastOf(db))).toBe(true);
  });
});

async function lastOf(db: DataSource): Promise<{ transactionId: string; position: string }> {
  const rows = await db.query<{ transactionId: string; position: string }[]>(
    'SELECT transaction_id::text AS "transactionId", position::text FROM events ORDER BY position DESC LIMIT 1',
  );
  return rows[0]!;
}
