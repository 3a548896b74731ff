import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Admin } from 'kafkajs';
import { topics } from '#contracts/events';
import { readSettings } from '#platform';
import { curtailSettings } from '#runtime';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { TestKafka } from '../support/kafka.js';
import type { QueueSpec } from '../support/queue-spec.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';

const queues = ['a', 'b', 'c'];
const quotas = (lowered: Record<string, QueueSpec>) =>
  Object.fromEntries(queues.map((queue) => [queue, lowered[queue] ?? {}]));
const lower = (delay: string): QueueSpec => ({ max: { memory: 80 }, delay });

describe('with Kafka that loses what it was given', () => {
  let system: EmbeddedSystem;
  let kafka: TestKafka;
  let admin: Admin;
  beforeAll(async () => {
    const shape = onOwnKafkaAndRedis();
    const { kafkaBrokers, kafkaTopicPrefix, redisUrl } = readSettings(curtailSettings, shape);
    kafka = new TestKafka(shape.CURTAIL_KAFKA_TOPIC_PREFIX!);
    admin = kafka.connection.admin();
    await admin.connect();
    system = await EmbeddedSystem.start({ kafkaBrokers, kafkaTopicPrefix, redisUrl });
  });
  afterAll(async () => {
    await system?.stop();
    await admin?.disconnect();
    await kafka?.close();
  });

  const names = () => Object.values(topics).map((topic) => kafka.connection.topicName(topic));
  async function deleteMessages(): Promise<void> {
    await admin.fetchTopicMetadata({ topics: names() });
    for (const topic of names()) {
      const ends = await admin.fetchTopicOffsets(topic);
      // -1: up to the end.
      const partitions = ends.map(({ partition }) => ({ partition, offset: '-1' }));
      await admin.deleteTopicRecords({ topic, partitions });
    }
  }
  const losses: [string, () => Promise<void>][] = [
    ['all topics are deleted', () => admin.deleteTopics({ topics: names() })],
    ['all messages are deleted', deleteMessages],
  ];
  it.each(losses)('%s before they are read, and each run is carried out, once', async (_what, lose) => {
    const partition = system.partition();
    await partition.run(
      ...queues.map((queue) => ({ queue: `root.${queue}`, count: 5, resources: { memory: 20 } })),
    );
    const clocks = system.holdClocks();
    await partition.configure(quotas({ a: lower('1h') }));
    await clocks.held;
    // The partition with the changes of a is not fetched from again while the first one is held.
    await partition.configure(quotas({ a: lower('20ms'), b: lower('20ms') }));
    await system.published();
    await lose();
    clocks.release();
    await partition.configure(quotas({ a: lower('20ms'), b: lower('20ms'), c: lower('20ms') }));
    for (const queue of queues) {
      expect((await partition.ended(`root.${queue}`)).data).toMatchObject({
        outcome: 'satisfied',
        evicted: 1,
      });
    }
    await partition.settled();
    expect(await partition.events('EnforcementStarted')).toHaveLength(3);
    expect(await partition.remaining()).toHaveLength(12);
    const metrics = await system.get<string>('/metrics');
    expect(Number(/curtail_gaps_filled_total\{consumer="timer"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(
      0,
    );
  });
});
