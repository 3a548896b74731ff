import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type { ICustomPartitioner, ProducerBatch, RecordMetadata } from 'kafkajs';
import { kafkajs } from './kafkajs.js';
import { wholeBatches } from './whole-batches.js';

const load = createRequire(import.meta.url);
type SendMessages = (batch: ProducerBatch) => Promise<RecordMetadata[]>;
const sendingOf = load('kafkajs/src/producer/sendMessages.js') as (of: object) => SendMessages;
const retrierOf = load('kafkajs/src/retry/index.js') as (of: object) => unknown;

interface Sent {
  topicData: { topic: string; partitions: { partition: number; messages: { value: string }[] }[] }[];
}

/**
 * The sending of kafkajs over two brokers: partition 0 is with broker 1, and partition 1 with broker 2, whose connection breaks with the
 * first request for it; then broker 1 has both.
 *
 * @param arrived gets what broker 1 takes.
 */
function sendingOver(arrived: string[]) {
  let leaders = ['1', '2'];
  const broker = (nodeId: string) => ({
    nodeId,
    produce: async ({ topicData }: Sent) => {
      if (nodeId === '2') {
        // Broker 1 has answered by then.
        await new Promise(setImmediate);
        leaders = ['1', '1'];
        throw new kafkajs.KafkaJSConnectionError('Closed connection');
      }
      const sent = topicData.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, messages }) => {
          for (const { value } of messages) arrived.push(`${topic}/${partition}: ${value}`);
          return { topicName: topic, partitions: [{ partition, errorCode: 0 }] };
        }),
      );
      return { topics: sent };
    },
  });
  const brokers = { 1: broker('1'), 2: broker('2') };
  const cluster = {
    isConnected: () => true,
    addMultipleTargetTopics: async () => {},
    refreshMetadata: async () => {},
    refreshMetadataIfNecessary: async () => {},
    findTopicPartitionMetadata: () => leaders.map((leader, partitionId) => ({ partitionId, leader })),
    findLeaderForPartitions: (_topic: string, partitions: string[]) => {
      const of = (nodeId: string) => partitions.map(Number).filter((one) => leaders[one] === nodeId);
      return Object.fromEntries([...new Set(leaders)].map((nodeId) => [nodeId, of(nodeId)]));
    },
    findBroker: async ({ nodeId }: { nodeId: '1' | '2' }) => brokers[nodeId],
  };
  const eosManager = {
    acquireBrokerLock: async () => {},
    releaseBrokerLock: async () => {},
    isTransactional: () => false,
    getSequence: () => 0,
    updateSequence: () => {},
    getProducerId: () => 1,
    getProducerEpoch: () => 0,
  };
  const logger = { debug: () => {}, error: () => {} };
  const retrier = retrierOf({ factor: 0, multiplier: 1, maxRetryTime: 1, initialRetryTime: 1, retries: 3 });
  return (createPartitioner: ICustomPartitioner) => {
    const sendBatch = sendingOf({ logger, cluster, eosManager, retrier, partitioner: createPartitioner() });
    return { sendBatch } as never;
  };
}

const batch = {
  acks: -1,
  topicMessages: ['a', 'b'].map((topic) => ({
    topic,
    messages: [0, 1, 1, 0].map((partition, i) => ({ partition, value: `${topic}${i}` })),
  })),
};
const all = ['a/0: a0', 'a/0: a3', 'b/0: b0', 'b/0: b3', 'a/1: a1', 'a/1: a2', 'b/1: b1', 'b/1: b2'];

describe('a batch whose partitions move to a broker that has answered', () => {
  it('arrives whole, each partition in its order', async () => {
    const arrived: string[] = [];
    const answers = await wholeBatches(sendingOver(arrived)).sendBatch(batch);
    expect(arrived).toEqual(all);
    expect(answers.map(({ topicName, partition }) => `${topicName}/${partition}`)).toEqual([
      'a/0',
      'b/0',
      'a/1',
      'b/1',
    ]);
  });

  it('arrives in part with kafkajs alone, which reports no error', async () => {
    const arrived: string[] = [];
    const { sendBatch } = sendingOver(arrived)(kafkajs.Partitioners.DefaultPartitioner) as {
      sendBatch: SendMessages;
    };
    await sendBatch(batch);
    expect(arrived).toEqual(all.slice(0, 4));
  });

  it('arrives whole also with one topic', async () => {
    const arrived: string[] = [];
    await wholeBatches(sendingOver(arrived)).send({ ...batch.topicMessages[0]!, acks: -1 });
    expect(arrived).toEqual(['a/0: a0', 'a/0: a3', 'a/1: a1', 'a/1: a2']);
  });
});
