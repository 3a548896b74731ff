import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Admin } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { append, openDatabase } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { TestKafka } from '../../../../test/support/kafka.js';
import { Recorded } from '../../../../test/support/recorded.js';
import { createRecords, Recorder } from '../../../../test/support/recorder.js';
import { trimInbox } from '../inbox.js';
import { RedeliveryLease } from '../redelivery-lease.js';
import { Waits } from '../waits.js';
import { type FilledGap, FillGaps } from './fill-gaps.js';
import { HandledPlace } from './handled-place.js';
import type { KafkaBus } from './kafka-bus.js';
import { publishedUpTo } from './relay-lease.js';
import { destinationOf } from './topics.js';

const topic = 'curtail.control';
let tests = 0;

/** All with one key, so in one partition, unless stated otherwise. */
describe('a consumer reads events from the log that Kafka has lost:', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let admin: Admin;
  let consumer: string;
  let recorder: Recorder;
  let filled: Recorded<FilledGap>;
  let errors: Error[];
  beforeAll(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url, { poolSize: 20 });
    await createRecords(db);
  });
  afterAll(async () => {
    await db?.destroy();
    await server?.drop();
  });
  beforeEach(async () => {
    for (const table of ['events', 'inbox', 'subscriptions', 'relays', 'dead_letters', 'records'])
      await db.query(`TRUNCATE ${table}`);
    tests++;
    kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.${tests}.`, { partitions: 1 });
    admin = kafka.connection.admin();
    await admin.connect();
    consumer = 'one';
    recorder = new Recorder(db, consumer);
    [filled, errors] = [new Recorded(), []];
  });
  afterEach(async () => {
    await admin.disconnect();
    await kafka.close();
  });

  const name = () => kafka.connection.topicName(topic);
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => `a${from + i}`);
  async function put(from: number, to: number): Promise<void> {
    await db.transaction((tx) =>
      append(tx, [markers('a', from - 1, ...numbered(from, to).map((one) => marker(one)))]),
    );
  }
  /** Waits until the relay has sent everything and moved its cursor. */
  async function published(): Promise<void> {
    for (;;) {
      const [row] = await db.query<{ all: boolean }[]>(
        `SELECT (SELECT max(position) FROM events) <= (SELECT max(position) FROM relays) AS all`,
      );
      if (row!.all) return;
    }
  }
  async function start(one = recorder): Promise<KafkaBus> {
    const bus = kafka.bus({
      database: db,
      noteEveryMs: 50,
      onFilled: (_, gap) => filled.add(gap),
      onError: (_, error) => errors.push(error),
    });
    bus.subscribe(one);
    await bus.start();
    return bus;
  }
  const moveOffset = (offset: string) => kafka.moveOffset(consumer, topic, offset);
  async function deleteUpTo(offset: string): Promise<void> {
    // The client does not refresh the metadata of the partition by itself.
    await admin.fetchTopicMetadata({ topics: [name()] });
    await admin.deleteTopicRecords({ topic: name(), partitions: [{ partition: 0, offset }] });
  }

  const isDeleted = () =>
    admin.deleteTopics({ topics: [name()] }).then(
      () => true,
      () => false,
    );

  it('messages that were deleted before they were read', async () => {
    await kafka.relay(server.url);
    await put(1, 4);
    await published();
    await deleteUpTo('2');
    await start();
    expect(await recorder.committed.first(4)).toEqual(['a3', 'a4', 'a1', 'a2']);
    const [gap] = await filled.first(1);
    expect(gap).toMatchObject({ topic: name(), events: 2 });
    expect(gap!.message).toMatch(
      /^2 events since 2026-11-01T00:00:00.000Z were not delivered by .*curtail\.control: messages of .* were deleted before they were read/,
    );
    await put(5, 5);
    await recorder.committed.first(5);
    expect(await recorder.records()).toEqual(['a3', 'a4', 'a1', 'a2', 'a5']);
  });

  it('a topic that was deleted with unread messages', async () => {
    await kafka.relay(server.url);
    let bus = await start();
    await put(1, 1);
    await recorder.committed.first(1);
    await bus.stop();
    await put(2, 3);
    await published();
    await admin.deleteTopics({ topics: [name()] });
    kafka.topics.forget();
    bus = await start();
    expect(await recorder.committed.first(3)).toEqual(['a1', 'a2', 'a3']);
    await put(4, 4);
    await recorder.committed.first(4);
    expect(await recorder.records()).toEqual(numbered(1, 4));
  });

  it('a topic that is deleted while everything runs', async () => {
    await kafka.relay(server.url);
    await start();
    await put(1, 20);
    // It may not exist yet.
    while (!(await isDeleted()));
    await put(21, 40);
    await recorder.committed.first(40);
    expect((await recorder.records()).sort()).toEqual(numbered(1, 40).sort());
  });

  it.each([
    ['the end', '6', ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']],
    ['somewhere in between', '4', ['a1', 'a2', 'a5', 'a6', 'a3', 'a4']],
    ['the beginning', '0', ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']],
  ])('offsets that were moved to %s', async (_where, offset, order) => {
    await kafka.relay(server.url);
    const bus = await start();
    await put(1, 2);
    await recorder.committed.first(2);
    await bus.stop();
    await put(3, 6);
    await published();
    await moveOffset(offset);
    await start();
    await recorder.committed.first(6);
    expect(await recorder.records()).toEqual(order);
  });

  it('once, when several processes check', async () => {
    await kafka.relay(server.url);
    await put(1, 30);
    await published();
    await deleteUpTo('30');
    const other = new Recorder(db, consumer);
    await Promise.all([start(), start(other)]);
    while ((await recorder.records()).length < 30);
    await put(31, 31);
    while (!(await recorder.records()).includes('a31'));
    expect(await recorder.records()).toEqual(numbered(1, 31));
    expect(filled.all.reduce((sum, { events }) => sum + events, 0)).toBe(30);
  });

  describe('searched for by hand', () => {
    let place: HandledPlace;
    let gaps: FillGaps;
    let waits: Waits;
    let parked: string[];
    beforeEach(async () => {
      place = new HandledPlace(db, recorder);
      parked = [];
      waits = new Waits(consumer);
      gaps = new FillGaps({
        ...{ connection: kafka.connection, database: db, consumer: recorder, place },
        ...{ onFilled: (gap) => filled.add(gap), onError: (error) => errors.push(error) },
        ...{ onParked: (_, reason) => parked.push(reason), signal: new AbortController().signal },
        lease: new RedeliveryLease(db, consumer),
        waits,
      });
    });
    afterEach(() => gaps.stop());
    const check = async () => {
      await place.advance();
      const destination = await destinationOf(kafka.connection);
      await gaps.check(await publishedUpTo(db, destination));
    };

    it('nothing that Kafka may still deliver, and nothing unpublished', async () => {
      await put(1, 2);
      await check();
      await check();
      const relay = await kafka.relay(server.url);
      await published();
      await relay.stop();
      for (let times = 0; times < 3; times++) await check();
      await put(3, 3);
      await check();
      await check();
      expect(recorder.batches.all).toEqual([]);
      await deleteUpTo('2');
      await check();
      expect(await recorder.records()).toEqual(['a1', 'a2']);
      await place.advance();
      await check();
      expect(await recorder.records()).toEqual(['a1', 'a2']);
    });

    it('events published since the ends were read, only at a later check', async () => {
      await kafka.relay(server.url);
      await put(1, 1);
      await published();
      await check();
      await put(2, 2);
      await published();
      await moveOffset('1');
      await check();
      expect(await recorder.records()).toEqual(['a1']);
      await moveOffset('2');
      await check();
      expect(await recorder.records()).toEqual(['a1', 'a2']);
    });

    it('no event that has crashed three processes in a row: it becomes a dead letter', async () => {
      await kafka.relay(server.url);
      await put(1, 3);
      await published();
      await check();
      await db.query(
        `INSERT INTO attempts (consumer, event_id, process, processes)
         SELECT $1, id, gen_random_uuid(), version FROM events WHERE version > 1`,
        [consumer],
      );
      await deleteUpTo('3');
      await check();
      expect(await recorder.records()).toEqual(['a1', 'a2']);
      expect(parked).toEqual([expect.stringMatching(/^3 processes in a row ended while they handled it/)]);
      expect(await db.query('SELECT FROM attempts')).toEqual([]);
    });

    it('nothing from a newer event on: it is reported as waiting, and left to a process that knows it', async () => {
      await kafka.relay(server.url);
      await put(1, 2);
      await db.query('UPDATE events SET schema_version = 99 WHERE version = 2');
      await published();
      await check();
      await deleteUpTo('2');
      await check();
      expect(await recorder.records()).toEqual(['a1']);
      expect(waits.all()).toMatchObject([{ consumer, where: 'the log', schemaVersion: 99 }]);
      expect(await db.query('SELECT FROM subscriptions WHERE redeliverer_until IS NOT NULL')).toEqual([]);
      await db.query('UPDATE events SET schema_version = 1 WHERE version = 2');
      await check();
      await check();
      expect(await recorder.records()).toEqual(['a1', 'a2']);
      expect(waits.all()).toEqual([]);
    });

    it('nothing twice after marks were trimmed: those after a gap are kept', async () => {
      await put(1, 3);
      await db.query(
        `INSERT INTO inbox (consumer, event_id, handled_at)
         SELECT $1, id, now() - interval '30 days' FROM events WHERE version <> 2`,
        [consumer],
      );
      await place.advance();
      await trimInbox(db, 8);
      const left = await db.query<{ version: number }[]>(
        'SELECT version FROM inbox JOIN events ON id = event_id ORDER BY version',
      );
      expect(left).toEqual([{ version: 3 }]);
    });
  });
});
