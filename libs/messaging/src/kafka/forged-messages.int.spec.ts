import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Message, Producer } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { type Topic } from '#contracts';
import { topics } from '#contracts/events';
import { append, openDatabase, readOutgoing } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { TestKafka } from '../../../../test/support/kafka.js';
import { Recorded } from '../../../../test/support/recorded.js';
import { createRecords, Recorder } from '../../../../test/support/recorder.js';
import { markHandled } from '../inbox.js';
import type { KafkaBus } from './kafka-bus.js';
import { messageOf } from './outgoing-message.js';

describe('a message that carries the id of an event of the log', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let producer: Producer;
  let recorder: Recorder;
  let bus: KafkaBus;
  let forgeries: Recorded<string>;
  let parked: Recorded<string>;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    await createRecords(db);
    kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`, { partitions: 1 });
    await kafka.topics.ready();
    producer = kafka.connection.producer();
    await producer.connect();
    [forgeries, parked] = [new Recorded(), new Recorded()];
    await startBus();
  });
  afterEach(async () => {
    await producer.disconnect();
    await kafka.close();
    await db.destroy();
    await server.drop();
  });

  async function startBus(): Promise<void> {
    bus = kafka.bus({
      database: db,
      onParked: (consumer, _id, reason, forged) => {
        parked.add(reason);
        if (forged) forgeries.add(`${consumer} ${forged.origin.slice(kafka.prefix.length)}`);
      },
    });
    recorder = new Recorder(db, 'one');
    bus.subscribe(recorder);
    await bus.start();
  }
  const send = (message: Message, topic: Topic = topics.control) =>
    producer.send({ topic: kafka.connection.topicName(topic), messages: [message] });
  /** Events as the relay will publish them; it does not run yet. */
  async function appended(...names: string[]): Promise<Message[]> {
    await db.transaction((tx) => append(tx, [markers('a', 0, ...names.map((name) => marker(name)))]));
    const { events } = await readOutgoing(db, { transactionId: '0', position: '0' }, { limit: 10 });
    return events.map((event) => messageOf(event));
  }

  it('at another place is reported, and the event is handled when it arrives', async () => {
    const [real] = await appended('a1');
    await send({ ...real!, headers: { ...real!.headers, ce_position: '999' } });
    expect(await forgeries.first(1)).toEqual(['one curtail.control/0@0']);
    expect(await db.query('SELECT 1 FROM inbox')).toEqual([]);
    await kafka.relay(server.url);
    expect(await recorder.committed.first(1)).toEqual(['a1']);
    expect(await recorder.records()).toEqual(['a1']);
  });

  it('at its place has the data of the log, whatever it contains', async () => {
    const [real] = await appended('a1', 'a2');
    await send({ ...real!, value: '{"partition":"default","queue":"root.b","by":"forged"}' });
    await send({ ...real!, value: 'no JSON at all' });
    await kafka.relay(server.url);
    await recorder.committed.first(2);
    expect(await recorder.records()).toEqual(['a1', 'a2']);
    expect(parked.all).toEqual([]);
  });

  it('becomes one dead letter, however often it is sent', async () => {
    const [real] = await appended('a1');
    await send({ ...real!, headers: { ...real!.headers, ce_position: '999' } });
    await forgeries.first(1);
    await bus.stop();
    const admin = kafka.connection.admin();
    await admin.connect();
    await admin.deleteGroups([kafka.connection.groupName('one')]);
    await admin.disconnect();
    // It reads everything again, including this message.
    await startBus();
    await kafka.relay(server.url);
    await recorder.committed.first(1);
    expect(forgeries.all).toHaveLength(1);
    expect(await kafka.read('curtail.dead-letters', (all) => all.length > 0)).toHaveLength(1);
    expect(await db.query('SELECT consumer, field FROM dead_letters')).toEqual([
      { consumer: 'one', field: 'ce_position' },
    ]);
  });

  it('at an old place is reported too, although that place is already handled', async () => {
    const [real] = await appended('a1');
    await kafka.relay(server.url);
    await recorder.committed.first(1);
    await send({ ...real!, headers: { ...real!.headers, ce_position: '0' } });
    expect(await forgeries.first(1)).toEqual(['one curtail.control/0@1']);
    expect(await recorder.records()).toEqual(['a1']);
  });

  it('is not marked, even on request of a consumer', async () => {
    await appended('a1');
    const [event] = await db.query(
      'SELECT id, topic, transaction_id::text AS "transactionId", position::text FROM events',
    );
    await expect(markHandled(db.manager, 'one', [{ ...event, position: '999' }])).rejects.toThrow(
      '1 of 1 events for one are not in the log',
    );
    expect(await db.query('SELECT 1 FROM inbox')).toEqual([]);
    expect(await markHandled(db.manager, 'one', [event])).toBe(1);
    expect(await markHandled(db.manager, 'one', [event])).toBe(0);
  });
});
