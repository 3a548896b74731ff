import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import kafkajs, { type Message } from 'kafkajs';
import pg from 'pg';
import { root } from '../../scripts/infra/folders.js';
import type { System } from './system.js';

export interface BareProducer {
  /** Resolves when the broker has them. */
  send(messages: Message[]): Promise<unknown>;
  close(): Promise<void>;
}

/** kafkajs alone, set up as Curtail sets it up: idempotent, all replicas. The topic is made, with as many partitions as usual. */
export async function bareProducer(brokers: string[], topic: string): Promise<BareProducer> {
  const kafka = new kafkajs.Kafka({ brokers, clientId: 'bare', logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 6 }] });
  await admin.disconnect();
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  return {
    send: (messages) => producer.send({ topic, acks: -1, messages }),
    close: () => producer.disconnect(),
  };
}

/** Joins a group and leaves it. */
export async function joinOnce(brokers: string[], topic: string): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers, clientId: 'bare', logLevel: kafkajs.logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `${topic}-group`, allowAutoTopicCreation: false });
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.connect();
  await consumer.subscribe({ topics: [topic] });
  await consumer.run({ autoCommit: false, eachBatch: async () => {} });
  await joined;
  await consumer.disconnect();
}

const columns = ['id', 'stream', 'version', 'type', 'topic', 'partition', 'key', 'time', 'data'] as const;
export type BareRow = Record<(typeof columns)[number], string | number>;

export interface BareTable {
  /** Resolves when they are committed. */
  insert(rows: BareRow[]): Promise<unknown>;
  close(): Promise<void>;
}

/** pg alone, with a table that holds what the log holds, and one index. */
export async function bareTable(databaseUrl: string): Promise<BareTable> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `CREATE TABLE IF NOT EXISTS bare_events (
       id uuid PRIMARY KEY, stream text, version int, type text, topic text, partition text, key text, time timestamptz, data json)`,
  );
  await client.query('TRUNCATE bare_events');
  return {
    insert: (rows) =>
      client.query({
        name: 'insert',
        text: `INSERT INTO bare_events
               SELECT * FROM unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[],
                                    $8::timestamptz[], $9::json[])`,
        values: columns.map((column) => rows.map((row) => row[column])),
      }),
    close: () => client.end(),
  };
}

/** Starts the floor of messages that arrive (`bare-consumer.mjs`), and resolves when it has joined its group. */
export async function startBareConsumer(
  { brokers, databaseUrl }: Pick<System, 'brokers' | 'databaseUrl'>,
  topics: string[],
) {
  const words = [brokers.join(), topics.join(), `${topics[0]}-bare`, databaseUrl];
  const child: ChildProcess = fork(join(root, 'test/load/bare-consumer.mjs'), words);
  let handled = 0;
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the bare consumer has ended')));
    child.on('message', (message) => {
      if (message === 'joined') resolve();
      else handled = Number(message);
    });
  });
  return { pid: child.pid!, handled: () => handled, stop: () => child.kill() };
}
