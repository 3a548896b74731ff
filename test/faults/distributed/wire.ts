import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Admin, type Consumer, type KafkaMessage } from 'kafkajs';
import type { Chance } from '../../support/chance.js';
import { shuffled } from './shuffled.js';

const { Kafka, logLevel, Partitioners } = kafkajs;
const longestWaitMs = 120_000;

/** As many as Curtail makes of each topic. */
const partitions = 6;
const choose = Partitioners.DefaultPartitioner();

/** A message of a topic, as it lies there. */
export interface OnTheWire {
  /** Without the prefix. */
  topic: string;
  partition: number;
  message: KafkaMessage;
  /** Of the event; undefined if it has none. */
  id: string | undefined;
}

/** Messages on the brokers, read and written past Curtail, by a client that knows nothing of it. */
export class Wire {
  private readonly kafka: kafkajs.Kafka;

  constructor(
    brokers: string[],
    private readonly prefix: string,
  ) {
    this.kafka = new Kafka({
      clientId: 'fault-harness',
      brokers,
      logLevel: logLevel.NOTHING,
      retry: { retries: 20, initialRetryTime: 100, maxRetryTime: 1000 },
    });
  }

  /** The partition of a topic that has the most messages. */
  async busiest(topic: string): Promise<number> {
    const ends = await this.asking((admin) => admin.fetchTopicOffsets(this.prefix + topic));
    const [most] = ends.sort((a, b) => Number(b.offset) - Number(a.offset));
    return most?.partition ?? 0;
  }

  /** Where messages with this key lie. */
  partitionOf(key: string): number {
    const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
      partitionId,
      leader: 0,
    }));
    return choose({
      topic: '',
      partitionMetadata: partitionMetadata as never,
      message: { key, value: null },
    });
  }

  /** A partition in which no message with this key lies. */
  partitionBeside(key: string): number {
    return (this.partitionOf(key) + 1) % partitions;
  }

  /** @throws Error if a consumer of Curtail has handled all that lies in the partition. */
  async assertLag(consumer: string, topic: string, partition: number): Promise<void> {
    const lag = await this.lag(consumer, topic);
    if (!lag.get(partition)) throw new Error(`${consumer} does not lag behind ${topic}/${partition}`);
  }

  /** How many messages of each partition of a topic a consumer of Curtail has not handled yet. */
  private lag(consumer: string, topic: string): Promise<Map<number, number>> {
    return this.asking(async (admin) => {
      const name = this.prefix + topic;
      const groupId = `${this.prefix}curtail.${consumer}`;
      const ends = await admin.fetchTopicOffsets(name);
      const [committed] = await admin.fetchOffsets({ groupId, topics: [name] });
      const done = new Map(committed?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
      return new Map(
        ends.map(({ partition, offset }) => [
          partition,
          Number(offset) - Math.max(0, done.get(partition) ?? 0),
        ]),
      );
    });
  }

  /** Everything, by topic and partition in its order, up to where the topics end at the moment of the call. */
  async read(): Promise<OnTheWire[]> {
    const missing = new Map<string, bigint>();
    const topics = await this.asking(async (admin) => {
      const own = (await admin.listTopics()).filter((topic) => topic.startsWith(this.prefix));
      for (const topic of own) {
        for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
          if (BigInt(high) > BigInt(low)) missing.set(`${topic}/${partition}`, BigInt(high) - 1n);
        }
      }
      return own;
    });
    if (missing.size === 0) return [];
    const found: OnTheWire[] = [];
    const consumer = this.kafka.consumer({
      groupId: `${this.prefix}audit-${randomUUID()}`,
      maxWaitTimeInMs: 100,
    });
    await consumer.connect();
    try {
      await consumer.subscribe({ topics, fromBeginning: true });
      await new Promise<void>((resolve, reject) => {
        consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
        void runUntil(
          consumer,
          missing,
          (each) => found.push({ ...each, topic: each.topic.slice(this.prefix.length) }),
          resolve,
        );
      });
    } finally {
      await consumer.disconnect();
    }
    return found;
  }

  /** Writes messages that lie there once more, each to the partition it is in, in an order of chance. */
  async repeat(messages: OnTheWire[], chance: Chance): Promise<void> {
    await this.send(
      shuffled(messages, chance).map(({ topic, partition, message: { key, value, headers } }) => ({
        topic,
        message: { key, value, partition, ...(headers ? { headers } : {}) },
      })),
    );
  }

  /** Deletes topics with all that they hold. A service makes them again. */
  deleteTopics(topics: readonly string[]): Promise<void> {
    const names = topics.map((topic) => this.prefix + topic);
    return this.asking((admin) => admin.deleteTopics({ topics: names }));
  }

  /** Deletes all messages of topics. */
  empty(topics: readonly string[]): Promise<void> {
    return this.asking(async (admin) => {
      for (const topic of topics.map((one) => this.prefix + one)) {
        await admin.fetchTopicMetadata({ topics: [topic] });
        const ends = await admin.fetchTopicOffsets(topic);
        // -1: up to the end.
        const all = ends.map(({ partition }) => ({ partition, offset: '-1' }));
        await admin.deleteTopicRecords({ topic, partitions: all });
      }
    });
  }

  /** Repeats a question that a broker cannot answer for the moment, for instance while it takes over a partition. */
  private async asking<T>(ask: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      for (const end = Date.now() + longestWaitMs; ; await delay(100)) {
        try {
          return await ask(admin);
        } catch (error) {
          if (!(error instanceof kafkajs.KafkaJSError) || !error.retriable || Date.now() > end) throw error;
        }
      }
    } finally {
      await admin.disconnect();
    }
  }

  /** One by one in their order. */
  async send(
    messages: {
      topic: string;
      message: {
        key: Buffer | string | null;
        value: Buffer | string | null;
        partition?: number;
        headers?: KafkaMessage['headers'];
      };
    }[],
  ): Promise<void> {
    const producer = this.kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    try {
      for (const { topic, message } of messages) {
        await producer.send({ topic: `${this.prefix}${topic}`, messages: [message] });
      }
    } finally {
      await producer.disconnect();
    }
  }
}

async function runUntil(
  consumer: Consumer,
  missing: Map<string, bigint>,
  take: (one: OnTheWire) => void,
  done: () => void,
): Promise<void> {
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ topic, partition, message }) => {
      const where = `${topic}/${partition}`;
      const last = missing.get(where);
      if (last === undefined || BigInt(message.offset) > last) return;
      take({ topic, partition, message, id: message.headers?.ce_id?.toString() });
      if (BigInt(message.offset) === last) missing.delete(where);
      if (missing.size === 0) done();
    },
  });
}
