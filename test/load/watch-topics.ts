import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import kafkajs from 'kafkajs';
import type { System } from './system.js';

/** A subscriber like any other: a bare kafkajs consumer that counts what comes, and notes when it came. */
export interface TopicWatch {
  /** Resolves when so many events of a type, of one partition of a cluster, have come. */
  until(type: string, count: number, deadlineMs: number, partition?: string): Promise<void>;
  count(type: string, partition?: string): number;
  /** By key, when an event of the type came first. */
  seen(type: string, partition?: string): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

interface Recorded {
  count: number;
  first: Map<string, number>;
}

const joinedWithinMs = 60_000;

/** @throws if it is not let into its group. */
export async function watchTopics(
  { brokers, connection }: Pick<System, 'brokers' | 'connection'>,
  topics: string[],
): Promise<TopicWatch> {
  const received = new Map<string, Recorded>();
  const news = new EventEmitter().setMaxListeners(0);
  const kafka = new kafkajs.Kafka({ brokers, clientId: 'bare', logLevel: kafkajs.logLevel.NOTHING });
  const consumer = kafka.consumer({
    groupId: `bench-${randomBytes(4).toString('hex')}`,
    maxWaitTimeInMs: 250,
    allowAutoTopicCreation: false,
  });
  const of = (type: string, partition = 'default'): Recorded => {
    const name = `${partition}/${type}`;
    const known = received.get(name) ?? { count: 0, first: new Map() };
    received.set(name, known);
    return known;
  };
  const joined = once(news, 'joined', { signal: AbortSignal.timeout(joinedWithinMs) });
  // It may not come to the waiting.
  joined.catch(() => {});
  consumer.on(consumer.events.GROUP_JOIN, () => news.emit('joined'));
  await consumer.connect();
  await consumer.subscribe({ topics: topics.map(connection.topicName), fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    partitionsConsumedConcurrently: 3,
    eachBatch: async ({ batch }) => {
      const at = Date.now();
      for (const { key, headers } of batch.messages) {
        const one = of(String(headers?.ce_type), String(headers?.ce_partition));
        one.count++;
        if (!one.first.has(String(key))) one.first.set(String(key), at);
      }
      news.emit('batch');
    },
  });
  await joined;
  return {
    count: (type, partition) => of(type, partition).count,
    seen: (type, partition) => of(type, partition).first,
    until: (type, count, deadlineMs, partition) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (of(type, partition).count < count) return;
          clearTimeout(tooLate);
          news.off('batch', check);
          resolve();
        };
        const tooLate = setTimeout(() => {
          news.off('batch', check);
          reject(new Error(`${of(type, partition).count} of ${count} ${type} after ${deadlineMs} ms`));
        }, deadlineMs);
        news.on('batch', check);
        check();
      }),
    stop: () => consumer.disconnect(),
  };
}
