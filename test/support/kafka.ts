import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import kafkajs, { type Consumer, type KafkaMessage } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { openDatabase, WakeListener } from '#event-store';
import {
  KafkaBus,
  type KafkaBusOptions,
  type KafkaConnection,
  type KafkaOptions,
  OutboxRelay,
  type OutboxRelayOptions,
  openKafka,
  planTopics,
  TopicKeeper,
} from '#messaging/kafka';
import { Recorded } from './recorded.js';

export function kafkaBrokers(): string[] {
  const brokers = process.env.KAFKA_BROKERS;
  if (brokers) return brokers.split(',');
  throw new Error('No test broker: name the file *.int.spec.ts and run it with `npm run test:one`.');
}

type KafkaClient = NonNullable<KafkaOptions['client']>;

/** Those that are installed: some suites run once for each. npm leaves platformatic out on Node 20. */
export const kafkaClients: readonly KafkaClient[] = isInstalled('@platformatic/kafka')
  ? ['kafkajs', 'platformatic']
  : ['kafkajs'];
/** Of suites that run once, and of processes that they start. */
const client = (process.env.CURTAIL_KAFKA_CLIENT ?? 'kafkajs') as KafkaClient;

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return Number.parseInt(process.versions.node, 10) >= 22;
  } catch {
    return false;
  }
}

/** So that tests need not wait for what time brings. */
export const hasty = {
  heartbeatIntervalMs: 100,
  sessionTimeoutMs: 3000,
  rebalanceTimeoutMs: 3000,
  maxWaitMs: 50,
  requestTimeoutMs: 3000,
} satisfies Partial<KafkaOptions>;

/** Asks again when the broker answers too late on a busy machine, as the product's callers do. */
class PatientTopics extends TopicKeeper {
  override async ready(topics?: readonly string[]): Promise<void> {
    for (let left = 9; ; left--) {
      try {
        return await super.ready(topics);
      } catch (error) {
        if (left === 0 || !/ timed out$/.test((error as Error).message)) throw error;
      }
    }
  }
}

/** A part of the broker of the run that one test has to itself: topics and groups under a prefix. */
export class TestKafka {
  readonly connection: KafkaConnection;
  readonly topics: TopicKeeper;
  private readonly brokers: string[];
  private readonly isSecured: boolean;
  private readonly endings: (() => Promise<void>)[] = [];

  constructor(
    readonly prefix: string,
    options: Partial<KafkaOptions> & { partitions?: number; maxMessageBytes?: number; manage?: boolean } = {},
  ) {
    const { partitions = 3, maxMessageBytes, manage = true, ...more } = options;
    this.brokers = [...(options.brokers ?? kafkaBrokers())];
    this.isSecured = options.tls !== undefined || options.sasl !== undefined;
    this.connection = openKafka({
      brokers: this.brokers,
      clientId: 'test',
      topicPrefix: prefix,
      ...hasty,
      client,
      ...more,
    });
    const topics = planTopics({ partitions, ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }) });
    this.topics = new PatientTopics(this.connection, { topics, manage });
  }

  /** For a test that reads for long: it starts itself again after a crash. The consumers of the product do not; they are supervised. */
  reader(groupId: string): Consumer {
    const { brokers } = this;
    const client = new kafkajs.Kafka({
      clientId: 'test-reader',
      brokers,
      logLevel: kafkajs.logLevel.NOTHING,
    });
    return client.consumer({ groupId, maxWaitTimeInMs: 50, retry: { retries: 20, initialRetryTime: 100 } });
  }

  /** Started by who asks; ended by `close`, unless before. */
  bus(options: Partial<KafkaBusOptions> & { database: DataSource }): KafkaBus {
    const bus = new KafkaBus({ connection: this.connection, topics: this.topics, ...options });
    this.endings.push(() => bus.stop());
    return bus;
  }

  /** A relay with connections of its own to the database. It is started. */
  async relay(url: string, options: Partial<OutboxRelayOptions> = {}): Promise<OutboxRelay> {
    const database = await openDatabase(url, { poolSize: 2, applicationName: 'relay' });
    const wake = new WakeListener(url);
    await wake.start();
    const relay = new OutboxRelay({
      connection: this.connection,
      topics: this.topics,
      database,
      wake,
      ...options,
    });
    relay.start();
    this.endings.push(async () => {
      await relay.stop();
      await wake.stop();
      await database.destroy();
    });
    return relay;
  }

  /** The messages of a topic, as soon as they are `enough`. */
  async read(topic: string, enough: (messages: readonly KafkaMessage[]) => boolean): Promise<KafkaMessage[]> {
    await this.topics.ready();
    const received = new Recorded<KafkaMessage>();
    const group = this.connection.groupName(`reader-${randomUUID()}`);
    // Only the product's own clients know how to show who they are.
    const reader = this.isSecured ? this.connection.consumer(group) : this.reader(group);
    await reader.connect();
    await reader.subscribe({ topics: [this.connection.topicName(topic)], fromBeginning: true });
    await reader.run({ eachMessage: async ({ message }) => received.add(message) });
    try {
      return [...(await received.when(enough))];
    } finally {
      await reader.disconnect();
    }
  }

  /** Sets these on a topic in place of all others, as another program may. The broker acts by them a moment later. */
  async setOnTopic(topic: string, settings: Record<string, string>): Promise<void> {
    const admin = this.connection.admin();
    await admin.connect();
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
    const name = this.connection.topicName(topic);
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name, configEntries }],
    });
    await admin.disconnect();
  }

  /** Has a group continue from another offset of a topic's first partition, as an administrator may while its consumers are stopped. */
  async moveOffset(consumer: string, topic: string, offset: string): Promise<void> {
    const name = this.connection.topicName(topic);
    for (let attempt = 1; ; attempt++) {
      const member = this.connection.consumer(this.connection.groupName(consumer));
      const joined = new Promise((resolve, reject) => {
        member.on(member.events.GROUP_JOIN, resolve);
        // Leaders of new topics may be missing for a while on a busy machine, and consumers do not restart by themselves.
        member.on(member.events.CRASH, ({ payload }) => reject(payload.error));
      });
      try {
        await member.connect();
        await member.subscribe({ topics: [name], fromBeginning: true });
        const running = member.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          eachBatch: async ({ pause }) => {
            pause();
          },
        });
        await Promise.all([joined, running]);
        await member.commitOffsets([{ topic: name, partition: 0, offset }]);
        return;
      } catch (error) {
        if (attempt === mostAttempts) throw error;
      } finally {
        await member.disconnect();
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.endings.splice(0).map((end) => end()));
    await removeTopics(this.connection, this.prefix);
  }
}

const mostAttempts = 20;

async function removeTopics(connection: KafkaConnection, prefix: string): Promise<void> {
  const admin = connection.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
  // Another process with the prefix may be quicker.
  if (topics.length > 0) await admin.deleteTopics({ topics }).catch(() => {});
  await admin.disconnect();
}
