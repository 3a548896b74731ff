import { afterEach, describe, expect, it } from '@jest/globals';
import type { EachMessagePayload } from 'kafkajs';
import { inboundTopics } from '#contracts/events';
import { kafkaClients, TestKafka } from '../../../../test/support/kafka.js';
import { Recorded } from '../../../../test/support/recorded.js';

const keys = Array.from({ length: 100 }, (_, nr) => `root.queue-${nr}.ü`);
const headers = { once: 'é', twice: ['1', '2'] };

describe('messages sent with each client', () => {
  const kafkas = kafkaClients.map((client) => new TestKafka('sent-with-each.', { client, partitions: 7 }));
  const [kafka] = kafkas as [TestKafka];
  afterEach(() => kafka.close());

  it('are in the same partition by their key, and as they were, repeated headers included', async () => {
    const topic = kafka.connection.topicName(inboundTopics.submissions);
    await kafka.topics.ready();
    for (const { connection } of kafkas) {
      const producer = connection.producer();
      await producer.connect();
      await producer.send({ topic, messages: keys.map((key) => ({ key, value: key, headers })) });
      await producer.disconnect();
    }
    const received = new Recorded<EachMessagePayload>();
    const reader = kafka.reader(kafka.connection.groupName('reader'));
    await reader.connect();
    await reader.subscribe({ topics: [topic], fromBeginning: true });
    await reader.run({ eachMessage: async (one) => received.add(one) });
    const all = await received.first(keys.length * kafkas.length);
    await reader.disconnect();
    expect(new Set(all.map(({ partition, message }) => `${message.key}/${partition}`)).size).toBe(
      keys.length,
    );
    for (const { message } of all) {
      expect(message.value).toEqual(message.key);
      expect(message.headers).toEqual({
        once: Buffer.from('é'),
        twice: [Buffer.from('1'), Buffer.from('2')],
      });
    }
  });
});
