import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Kafka, logLevel, type Producer } from 'kafkajs';
import { type KafkaBehindProxy, startKafkaBehindProxy } from './kafka-behind-proxy.js';

describe('a Kafka behind a proxy', () => {
  let behind: KafkaBehindProxy;
  let direct: Kafka;
  const producers: Producer[] = [];
  beforeAll(async () => {
    behind = await startKafkaBehindProxy();
    direct = client(behind.kafka.brokers);
  });
  afterAll(async () => {
    await Promise.all(producers.map((producer) => producer.disconnect()));
    await behind.remove();
  });

  function client(brokers: string[]): Kafka {
    const retry = { initialRetryTime: 50, maxRetryTime: 500, retries: 100 };
    return new Kafka({
      brokers,
      logLevel: logLevel.NOTHING,
      connectionTimeout: 1000,
      requestTimeout: 1000,
      retry,
    });
  }
  async function producer(idempotent: boolean): Promise<Producer> {
    const made = client(behind.brokers).producer({ idempotent, maxInFlightRequests: 1 });
    await made.connect();
    producers.push(made);
    return made;
  }
  async function topic(name: string): Promise<void> {
    const admin = direct.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: name }], waitForLeaders: true });
    await admin.disconnect();
  }
  /** How many messages the topic has, by the way that nothing disturbs. */
  async function length(name: string): Promise<number> {
    const admin = direct.admin();
    await admin.connect();
    const [offsets] = await admin.fetchTopicOffsets(name);
    await admin.disconnect();
    return Number(offsets?.offset);
  }
  const big = (name: string) => ({ topic: name, acks: -1, messages: [{ value: 'x'.repeat(10_000) }] });

  it.each([
    [true, 1],
    [false, 2],
  ])(
    'whose acknowledgement is swallowed has the message, with an idempotent producer (%p), %p times',
    async (idempotent, times) => {
      const name = `swallowed-${idempotent}`;
      await topic(name);
      const sender = await producer(idempotent);
      const swallowed = behind.proxy.swallowNextAnswer(10_000);
      await sender.send(big(name));
      await swallowed;
      expect(await length(name)).toBe(times);
    },
  );

  it('gets what is sent while it is cut off, or in a hole, once the way is open again', async () => {
    await topic('disturbed');
    const sender = await producer(true);
    for (const disturb of ['cut', 'hole'] as const) {
      await behind.proxy[disturb]();
      const sent = sender.send(big('disturbed'));
      expect(await length('disturbed')).toBe(disturb === 'cut' ? 0 : 1);
      await behind.proxy.pass();
      await sent;
    }
    expect(await length('disturbed')).toBe(2);
  });
});
