import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import kafkajs, { type Admin, type Message, type Producer } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { inboundTopics } from '#contracts/events';
import { openDatabase } from '#event-store';
import { type Consumer, EventNotReady } from '#messaging';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { kafkaBrokers, TestKafka } from '../../../../test/support/kafka.js';
import type { KafkaBus } from './kafka-bus.js';
import { TopicWatermark } from './topic-watermark.js';

const longMs = 30_000;
const nothing = { behind: [], missing: [] };

describe('the watermark of a topic', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let producer: Producer;
  let admin: Admin;
  let watermark: TopicWatermark;
  let topic: string;
  let handled: string[];
  /** Submissions that cannot be handled yet. */
  let held: Set<string>;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`, { partitions: 2 });
    await kafka.topics.ready();
    topic = kafka.connection.topicName(inboundTopics.submissions);
    producer = kafka.connection.producer();
    admin = kafka.connection.admin();
    await Promise.all([producer.connect(), admin.connect()]);
    watermark = new TopicWatermark({
      connection: kafka.connection,
      database: db,
      topic: inboundTopics.submissions,
      consumer: 'submissions',
      answerMs: 20_000,
    });
    handled = [];
    held = new Set();
  });
  afterEach(async () => {
    await watermark.close();
    await Promise.all([producer.disconnect(), admin.disconnect()]);
    await kafka.close();
    await db.destroy();
    await server.drop();
  });

  const submissions: () => Consumer = () => ({
    name: 'submissions',
    topics: [inboundTopics.submissions],
    keepsPlaces: true,
    handle: async (events) => {
      const names = events.flatMap(({ name, data }) => (name === 'ConfigSubmitted' ? [data.submission] : []));
      if (names.some((name) => held.has(name))) throw new EventNotReady('it is held');
      if (names.every((name) => name.startsWith('nothing'))) return undefined;
      return async () => () => {
        handled.push(...names);
      };
    },
  });
  async function start(): Promise<KafkaBus> {
    const bus = kafka.bus({ database: db });
    bus.subscribe(submissions());
    await bus.start();
    return bus;
  }
  const message = (name: string, partition = 0, headers: Record<string, string> = {}): Message => ({
    partition,
    value: JSON.stringify({ partition: 'default', submission: name, configuration: 'x' }),
    headers: {
      ce_specversion: '1.0',
      ce_id: name,
      ce_source: '//platform',
      ce_type: 'io.curtail.config.submitted.v1',
      ...headers,
    },
  });
  const send = (...messages: Message[]) => producer.send({ topic, messages });
  const applied = () => watermark.unread(longMs);

  it('is at the end of an empty topic', async () => {
    expect(await watermark.unread(0)).toEqual({ ...nothing, gapAt: null });
  });

  it('is below messages sent before it was read until they are applied', async () => {
    await send(message('one'), message('two', 1));
    expect((await watermark.unread(0)).behind).toEqual([
      { partition: 0, messages: 1 },
      { partition: 1, messages: 1 },
    ]);
    await start();
    expect(await applied()).toEqual({ ...nothing, gapAt: null });
    expect(handled.sort()).toEqual(['one', 'two']);
  });

  it('passes everything that has no effect', async () => {
    await start();
    await send(
      message('one'),
      message('one'),
      message('nothing-1'),
      message('replayed', 0, { ce_replayed: 'true' }),
      message('bad', 0, { ce_type: 'io.example.unknown.v1' }),
      { partition: 1, value: 'rubbish' },
    );
    expect(await applied()).toEqual({ ...nothing, gapAt: null });
    await send(message('one'));
    expect(await applied()).toEqual({ ...nothing, gapAt: null });
    await send(message('nothing-2', 1));
    expect(await applied()).toEqual({ ...nothing, gapAt: null });
    expect(handled).toEqual(['one']);
  });

  it('passes the markers of transactions, and aborted messages', async () => {
    const transactional = new kafkajs.Kafka({
      brokers: kafkaBrokers(),
      logLevel: kafkajs.logLevel.NOTHING,
    }).producer({ transactionalId: `${kafka.prefix}tx`, idempotent: true, maxInFlightRequests: 1 });
    await transactional.connect();
    await start();
    const kept = await transactional.transaction();
    await kept.send({ topic, messages: [message('kept'), message('kept-2', 1)] });
    await kept.commit();
    expect(await applied()).toEqual({ ...nothing, gapAt: null });
    const takenBack = await transactional.transaction();
    await takenBack.send({ topic, messages: [message('taken back')] });
    await takenBack.abort();
    expect(await applied()).toEqual({ ...nothing, gapAt: null });
    await transactional.disconnect();
    expect(handled.sort()).toEqual(['kept', 'kept-2']);
  });

  it('names the one partition that lags, while the others proceed', async () => {
    held.add('slow');
    await start();
    await send(message('slow', 1), message('behind', 1));
    await send(message('quick', 0));
    while (!handled.includes('quick')) await new Promise((resolve) => setTimeout(resolve, 10));
    const unread = await watermark.unread(0);
    expect(unread.behind.filter(({ partition }) => partition === 1)).toEqual([{ partition: 1, messages: 2 }]);
    held.clear();
    expect(await applied()).toEqual({ ...nothing, gapAt: null });
    expect(handled).toEqual(['quick', 'slow', 'behind']);
  });

  it('continues where a version without stored places stopped', async () => {
    const first = await start();
    await send(message('one'));
    await applied();
    while ((await first.status())[0]!.lag > 0);
    await first.stop();
    await db.query('DELETE FROM applied_offsets');
    expect((await watermark.unread(0)).behind).toEqual([{ partition: 0, messages: 1 }]);
    await start();
    expect(await applied()).toEqual({ ...nothing, gapAt: null });
  });

  it('has a gap where messages were deleted before they were read', async () => {
    await send(message('one'), message('two'));
    // Until the client knows the leaders of the partitions of the new topic.
    while (!(await admin.fetchTopicOffsets(topic).catch(() => undefined)));
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
    expect((await watermark.unread(0)).missing).toEqual([0]);
    await start();
    expect(await applied()).toEqual({ ...nothing, gapAt: expect.any(Date) });
  });

  it('has a gap where the topic was created again', async () => {
    const first = await start();
    await send(message('one'), message('two'));
    await applied();
    await first.stop();
    await admin.deleteTopics({ topics: [topic] });
    const again = async () => {
      const topics = [{ topic, numPartitions: 2, replicationFactor: 1 }];
      return admin.createTopics({ topics, waitForLeaders: true }).catch(() => false);
    };
    while (!(await again()));
    // Until the broker has removed the old topic: it would take the next message into it.
    const isEmpty = async () => {
      const ends = await admin.fetchTopicOffsets(topic).catch(() => []);
      return ends.length === 2 && ends.every(({ high }) => high === '0');
    };
    while (!(await isEmpty()));
    await send(message('three'));
    const seen = async () => (await watermark.unread(0).catch(() => undefined))?.missing ?? [];
    while ((await seen()).length === 0);
    expect(await seen()).toEqual([0]);
    await start();
    expect(await applied()).toEqual({ ...nothing, gapAt: expect.any(Date) });
    expect(handled).toEqual(['one', 'two', 'three']);
  });

  it('is not known without the right to read the topic', async () => {
    await admin.deleteTopics({ topics: [topic] });
    const refusal = async () =>
      watermark.unread(0).then(
        () => undefined,
        (error: Error) => error.message,
      );
    let refused = await refusal();
    while (refused === undefined) refused = await refusal();
    expect(refused).toMatch(/asking for the end of .*curtail\.config\.submissions/);
  });
});
