import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import kafkajs, { type Message, type Producer, type ProducerRecord } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { inboundTopics, topics } from '#contracts/events';
import { append, type KnownEvent, openDatabase, readStream } from '#event-store';
import type { Consumer } from '#messaging';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { TestKafka } from '../../../../test/support/kafka.js';
import { Recorded } from '../../../../test/support/recorded.js';

const { CompressionCodecs, CompressionTypes } = kafkajs;
/** As if another program manages the topics. */
const keptPacked = { 'compression.type': 'producer', 'max.message.bytes': String(8 * 1024 * 1024) };
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('messages of others than Curtail', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let producer: Producer;
  let handled: Recorded<string>;
  let crashes: Recorded<string>;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    const prefix = `${new URL(server.url).pathname.slice(1)}.`;
    kafka = new TestKafka(prefix, { partitions: 1 });
    await kafka.topics.ready();
    // Outsiders also compress with Snappy.
    producer = new TestKafka(prefix, { client: 'kafkajs' }).connection.producer();
    await producer.connect();
    handled = new Recorded();
    crashes = new Recorded();
    const bus = kafka.bus({ database: db, onCrash: (_consumer, { message }) => crashes.add(message) });
    bus.subscribe(submissions());
    await bus.start();
  });
  afterEach(async () => {
    await producer.disconnect();
    await kafka.close();
    await db.destroy();
    await server.drop();
  });

  /** Appends a marker for each submission, in a stream of its name. */
  function submissions(): Consumer {
    return {
      name: 'submissions',
      topics: [inboundTopics.submissions],
      handle: async (events: KnownEvent[]) => async (tx) => {
        const names = events.flatMap(({ name, data }) =>
          name === 'ConfigSubmitted' ? [data.submission] : [],
        );
        await append(
          tx,
          names.map((name) => markers(name, 0, marker(name, 'default'))),
        );
        return () => {
          for (const name of names) handled.add(name);
        };
      },
    };
  }
  const submission = (name: string, headers: Record<string, string> = {}, data: object = {}): Message => ({
    key: 'default',
    value: JSON.stringify({ partition: 'default', submission: name, configuration: 'x', ...data }),
    headers: {
      ce_specversion: '1.0',
      ce_id: name,
      ce_source: '//platform',
      ce_type: 'io.curtail.config.submitted.v1',
      ...headers,
    },
  });
  /** The new settings of a topic take effect a moment after they were accepted. */
  async function sendPacked(record: ProducerRecord): Promise<void> {
    for (;;) {
      try {
        await producer.send(record);
        return;
      } catch (error) {
        if (!/larger/.test((error as Error).message)) throw error;
      }
    }
  }
  const send = (...messages: Message[]) =>
    producer.send({ topic: kafka.connection.topicName(inboundTopics.submissions), messages });

  it('are handled once, however often they are sent, and never when they are marked as replayed', async () => {
    await send(submission('one'), submission('two'), submission('one'));
    await send(submission('replayed', { ce_replayed: 'true' }), submission('one'), submission('three'));
    await handled.until((name) => name === 'three');
    expect(handled.all).toEqual(['one', 'two', 'three']);
  });

  it('become dead letters with the error and its place, in the table and on curtail.dead-letters; the others proceed', async () => {
    await send(
      submission('one'),
      submission('bad', { ce_id: 'of the sender' }, { configuration: 7 }),
      { key: 'default', value: 'no event at all' },
      submission('two'),
    );
    await handled.first(2);
    expect(handled.all).toEqual(['one', 'two']);
    const letters = await db.query(
      'SELECT consumer, topic, key, type, reason, field, source, origin FROM dead_letters ORDER BY origin',
    );
    const origin = `${kafka.prefix}curtail.config.submissions/0`;
    expect(letters).toEqual([
      {
        consumer: 'submissions',
        topic: 'curtail.config.submissions',
        key: 'default',
        type: 'io.curtail.config.submitted.v1',
        reason: expect.stringContaining('breaks its schema at data.configuration'),
        field: 'data.configuration',
        source: '//platform',
        origin: `${origin}@1`,
      },
      expect.objectContaining({ field: 'ce_specversion', type: '', source: null, origin: `${origin}@2` }),
    ]);
    const [first] = await kafka.read('curtail.dead-letters', (all) => all.length === 2);
    expect(first!.value!.toString()).toBe(submission('bad', {}, { configuration: 7 }).value);
    expect(first!.key!.toString()).toBe('default');
    const headers = Object.fromEntries(
      Object.entries(first!.headers!).map(([name, value]) => [name, String(value)]),
    );
    expect(headers).toEqual({
      ce_specversion: '1.0',
      ce_id: 'of the sender',
      ce_source: '//platform',
      ce_type: 'io.curtail.config.submitted.v1',
      curtail_reason: letters[0].reason,
      curtail_field: 'data.configuration',
      curtail_consumer: 'submissions',
      curtail_topic: `${kafka.prefix}curtail.config.submissions`,
      curtail_partition: '0',
      curtail_offset: '1',
    });
  });

  it('become dead letters whatever bytes are in their key and headers, and the others proceed', async () => {
    await send(
      { ...submission('bad', { ce_type: 'x\0y', ce_source: '//plat\0form' }), key: 'a\0b' },
      submission('good'),
    );
    await handled.first(1);
    expect(await db.query('SELECT key, type, source, field FROM dead_letters')).toEqual([
      { key: 'a\ufffdb', type: 'x\ufffdy', source: '//plat\ufffdform', field: 'ce_type' },
    ]);
  });

  it('are read in any compression, even one that the client cannot read: the brokers decompress them', async () => {
    const topic = kafka.connection.topicName(inboundTopics.submissions);
    const { Snappy, GZIP } = CompressionTypes;
    await withSnappy(() => producer.send({ topic, compression: Snappy, messages: [submission('snappy')] }));
    await producer.send({ topic, compression: GZIP, messages: [submission('gzip')] });
    await send(submission('plain'));
    await handled.first(3);
    expect(handled.all).toEqual(['snappy', 'gzip', 'plain']);
  });

  it('are refused if they are too long decompressed, and their sender gets an error', async () => {
    const topic = kafka.connection.topicName(inboundTopics.submissions);
    const messages = [submission('long', {}, { configuration: 'x'.repeat(9 * 1024 * 1024) })];
    const sent = producer.send({ topic, compression: CompressionTypes.GZIP, messages });
    await expect(sent).rejects.toThrow('larger than the max message size');
  });

  it('become dead letters without their data if they are too long to be sent on, and the others proceed', async () => {
    const name = kafka.connection.topicName(inboundTopics.submissions);
    await kafka.setOnTopic(inboundTopics.submissions, keptPacked);
    // Compressed it is short, and as long as a message may be once its error is added.
    const long = 'x'.repeat(9 * 1024 * 1024);
    const messages = [submission('bad', {}, { submission: 7, configuration: long })];
    await sendPacked({ topic: name, compression: CompressionTypes.GZIP, messages });
    await send(submission('good'));
    await handled.first(1);
    const [letter] = await kafka.read('curtail.dead-letters', (all) => all.length === 1);
    expect(String(letter!.headers!.curtail_field)).toBe('data.submission');
    expect(String(letter!.headers!.curtail_reason)).toMatch(/breaks its schema.*omitted/);
    expect(String(letter!.headers!.ce_id)).toBe('bad');
    expect(letter!.value).toBeNull();
  });

  it('that cannot be decompressed here become dead letters with the remedy, and the others proceed', async () => {
    const topic = kafka.connection.topicName(inboundTopics.submissions);
    await kafka.setOnTopic(inboundTopics.submissions, keptPacked);
    // Too long decompressed, so it is accepted only while the brokers leave it compressed.
    const long = submission('long', {}, { configuration: 'x'.repeat(9 * 1024 * 1024) });
    await sendPacked({ topic, compression: CompressionTypes.GZIP, messages: [long] });
    await withSnappy(() =>
      producer.send({ topic, compression: CompressionTypes.Snappy, messages: [submission('packed')] }),
    );
    await send(submission('good'));
    await handled.until((name) => name === 'good');
    expect(handled.all).not.toContain('packed');
    expect(crashes.all).toEqual([]);
    // The first is the long one.
    const [, letter] = await kafka.read('curtail.dead-letters', (all) => all.length === 2);
    expect(String(letter!.headers!.curtail_reason)).toBe(
      'the message at offset 1 was skipped unread: compressed with Snappy, and Curtail reads gzip only: set compression.type=uncompressed on the topic',
    );
    expect(String(letter!.headers!.curtail_topic)).toBe(topic);
    expect(String(letter!.headers!.curtail_offset)).toBe('1');
  });

  it('pass their trace on to resulting events, even in outgoing messages', async () => {
    await kafka.relay(server.url);
    await send(submission('traced', { traceparent: `00-${trace}-00f067aa0ba902b7-01`, tracestate: 'a=b' }));
    await handled.first(1);
    const [message] = await kafka.read(topics.control, (all) => all.length === 1);
    const [event] = await readStream(db, 'traced');
    const span = event!.id.replaceAll('-', '').slice(0, 16);
    expect(String(message!.headers!.traceparent)).toBe(`00-${trace}-${span}-01`);
    expect(String(message!.headers!.tracestate)).toBe('a=b');
  });
});

/** Sends with a Snappy without compression (one literal after its length), since the client has none. */
async function withSnappy(send: () => Promise<unknown>): Promise<void> {
  const none = CompressionCodecs[CompressionTypes.Snappy];
  const compress = async ({ buffer }: { buffer: Buffer }): Promise<Buffer> => {
    const head = Buffer.alloc(8);
    let at = 0;
    let rest = buffer.length;
    for (; rest >= 0x80; rest >>>= 7) head[at++] = (rest & 0x7f) | 0x80;
    head[at++] = rest;
    head[at++] = 61 << 2;
    at = head.writeUInt16LE(buffer.length - 1, at);
    return Buffer.concat([head.subarray(0, at), buffer]);
  };
  CompressionCodecs[CompressionTypes.Snappy] = () => ({ ...none, compress });
  await send().finally(() => {
    CompressionCodecs[CompressionTypes.Snappy] = none;
  });
}
