import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Kafka, logLevel } from 'kafkajs';
import { type KafkaCluster, startKafkaCluster } from '../index.js';

describe('three brokers', () => {
  let cluster: KafkaCluster;
  beforeAll(async () => {
    cluster = await startKafkaCluster();
  }, 120_000);
  afterAll(() => cluster.remove());

  it('keep three copies, take what two can keep while one is dead, and have it back', async () => {
    const kafka = new Kafka({
      brokers: cluster.brokers,
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 100, maxRetryTime: 1000, retries: 100 },
    });
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: 'copies' }], waitForLeaders: true });
    const partition = async () =>
      (await admin.fetchTopicMetadata({ topics: ['copies'] })).topics[0]?.partitions[0];
    expect([...((await partition())?.replicas ?? [])].sort()).toEqual([1, 2, 3]);

    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const leader = (await partition())?.leader as number;
    const lost = cluster.nodes[leader - 1]!;
    await lost.kill();
    await producer.send({ topic: 'copies', acks: -1, messages: [{ value: 'with two' }] });
    expect((await partition())?.leader).not.toBe(leader);

    await lost.start();
    expect(await lost.answers()).toBe(true);
    await producer.disconnect();
    await admin.disconnect();
  }, 120_000);
});
