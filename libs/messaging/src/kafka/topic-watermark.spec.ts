import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { KafkaConnection } from './open-kafka.js';
import { TopicWatermark } from './topic-watermark.js';

/** A topic with one partition, of which nothing is applied; `end` is the current answer of the brokers. */
function watermarkOf(end: () => Promise<number>) {
  let asked = 0;
  const admin = () => ({
    connect: async () => {},
    disconnect: async () => {},
    fetchTopicMetadata: async () => ({ topics: [{ name: 't', partitions: [{}] }] }),
    fetchTopicOffsets: async () => {
      asked++;
      return [{ partition: 0, low: '0', high: String(await end()) }];
    },
  });
  const watermark = new TopicWatermark({
    connection: { admin, topicName: (name: string) => name } as unknown as KafkaConnection,
    database: { query: async () => [] } as unknown as DataSource,
    topic: 't',
    consumer: 'c',
    answerMs: 200,
  });
  return { watermark, asked: () => asked };
}

describe('a request for the end of a topic', () => {
  it('is shared by all callers while another one is under way, and answers no earlier caller', async () => {
    let messages = 0;
    const answers: (() => void)[] = [];
    const { watermark, asked } = watermarkOf(async () => {
      const atThatMoment = messages;
      await new Promise<void>((resolve) => answers.push(resolve));
      return atThatMoment;
    });
    const first = watermark.unread(0);
    while (answers.length < 1) await new Promise(setImmediate);
    messages = 7;
    const others = Array.from({ length: 50 }, () => watermark.unread(0));
    answers[0]!();
    expect((await first).behind).toEqual([]);
    while (answers.length < 2) await new Promise(setImmediate);
    answers[1]!();
    for (const { behind } of await Promise.all(others))
      expect(behind).toEqual([{ partition: 0, messages: 7 }]);
    expect(asked()).toBe(2);
  });

  it('fails once for all of them', async () => {
    const { watermark, asked } = watermarkOf(() => Promise.reject(new Error('refused')));
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => watermark.unread(0)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(asked()).toBeLessThanOrEqual(2);
  });

  it('fails without an answer in time', async () => {
    const { watermark } = watermarkOf(() => new Promise(() => {}));
    await expect(watermark.unread(0)).rejects.toThrow('Kafka did not answer within 200 ms');
  });
});
