import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { topics } from '#contracts/events';
import { append, openDatabase } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { TestKafka } from '../../../../test/support/kafka.js';
import { Recorded } from '../../../../test/support/recorded.js';
import { createRecords, Recorder } from '../../../../test/support/recorder.js';
import type { KafkaBus } from './kafka-bus.js';
import { kafkajs } from './kafkajs.js';

const { CompressionTypes } = kafkajs;

describe('messages that the client cannot read', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let recorder: Recorder;
  let bus: KafkaBus;
  let crashes: Error[];
  let parked: Recorded<string>;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    await createRecords(db);
    kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`, { partitions: 1 });
    await kafka.topics.ready();
    crashes = [];
    parked = new Recorded();
    bus = kafka.bus({
      database: db,
      noteEveryMs: 200,
      onParked: (consumer, _id, reason) => parked.add(`${consumer}: ${reason}`),
      onCrash: (_consumer, error) => crashes.push(error),
    });
    recorder = new Recorder(db, 'one');
    bus.subscribe(recorder);
    await bus.start();
  });
  afterEach(async () => {
    await kafka.close();
    await db.destroy();
    await server.drop();
  });

  async function send(topic: string, compression: number, value: Buffer): Promise<void> {
    const producer = kafka.connection.producer();
    await producer.connect();
    const name = kafka.connection.topicName(topic);
    await producer.send({ topic: name, compression, messages: [{ value }] });
    await producer.disconnect();
  }
  const put = (stream: string) =>
    db.transaction((tx) => append(tx, [markers(stream, 0, marker(`${stream}1`))]));

  it('since they hold too much are put aside, and all others are handled', async () => {
    await put('a');
    const relay = await kafka.relay(server.url);
    await recorder.committed.first(1);
    await relay.stop();
    await send(topics.control, CompressionTypes.GZIP, Buffer.alloc(140 * 1024 * 1024));
    await put('b');
    await kafka.relay(server.url);
    expect(await recorder.committed.first(2)).toEqual(['a1', 'b1']);
    expect(await parked.first(1)).toEqual([
      'one: the message at offset 1 was skipped unread: compressed messages hold more than 128 MiB',
    ]);
    expect(await db.query('SELECT consumer, origin, field, retry_at FROM dead_letters')).toEqual([
      { consumer: 'one', origin: `${kafka.prefix}curtail.control/0@1`, field: 'batch', retry_at: null },
    ]);
    expect(crashes).toEqual([]);
    expect(bus.stopped()).toEqual([]);
  });
});
