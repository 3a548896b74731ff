import type { Admin, Consumer, Kafka, Producer } from 'kafkajs';
import { inboundTopics } from '#contracts/events';
import { clientRetry, type KafkaOptions, type KafkaPatience, patience, securityOf } from './kafka-options.js';
import { describeTrouble } from './kafka-trouble.js';
import { kafkajs } from './kafkajs.js';
import { quietRequests } from './kafkajs-patches/quiet-requests.js';
import { PlatformaticConsumer } from './platformatic/consumer.js';
import { PlatformaticProducer } from './platformatic/producer.js';
import { wholeBatches } from './whole-batches.js';

/**
 * Creates clients, and translates the names of topics and groups. It holds no connection: each client that it creates
 * has its own, and its owner ends it.
 */
export interface KafkaConnection {
  readonly prefix: string;
  readonly clientId: string;
  readonly patience: KafkaPatience;
  /** The name in the cluster of a topic of the catalog. */
  topicName(topic: string): string;
  /** The same for all topics that carry its messages: besides, those of single senders. */
  topicNames(topic: string): string[];
  /** The topic of the catalog behind a name in the cluster. */
  topicOf(name: string): string;
  groupName(consumer: string): string;
  admin(): Admin;
  producer(): Producer;
  consumer(groupId: string): Consumer;
}

/** Reads the options; nothing is connected before a client is created. */
export function openKafka(options: KafkaOptions): KafkaConnection {
  quietRequests();
  const limits = { ...patience, ...present(options) };
  const prefix = options.topicPrefix ?? '';
  const kafka = clientOf(options, limits);
  const ownTopics = options.senderTopics ?? [];
  const other = options.client === 'platformatic' ? { options, limits } : undefined;
  return {
    prefix,
    clientId: options.clientId,
    patience: limits,
    topicName: (topic) => prefix + topic,
    topicNames: (topic) =>
      [topic, ...ownTopics.filter((own) => baseOf(own) === topic)].map((name) => prefix + name),
    topicOf: (name) => baseOf(name.slice(prefix.length)),
    groupName: (consumer) => `${prefix}curtail.${consumer}`,
    admin: () => kafka.admin({ retry: { ...clientRetry, retries: 2 } }),
    producer: () =>
      (other && (new PlatformaticProducer(other) as unknown as Producer)) ??
      wholeBatches((createPartitioner) =>
        kafka.producer({
          idempotent: true,
          maxInFlightRequests: 1,
          createPartitioner,
          allowAutoTopicCreation: false,
          metadataMaxAge: limits.metadataMaxAgeMs,
          retry: { ...clientRetry },
        }),
      ),
    consumer: (groupId) =>
      (other && (new PlatformaticConsumer(other, groupId) as unknown as Consumer)) ??
      kafka.consumer({
        groupId,
        sessionTimeout: limits.sessionTimeoutMs,
        heartbeatInterval: limits.heartbeatIntervalMs,
        rebalanceTimeout: limits.rebalanceTimeoutMs,
        maxWaitTimeInMs: limits.maxWaitMs,
        metadataMaxAge: limits.metadataMaxAgeMs,
        allowAutoTopicCreation: false,
        // Nor does a consumer restart itself: SupervisedConsumer creates a new one, the same way after every crash.
        retry: { ...clientRetry, restartOnFailure: async () => false },
      }),
  };
}

const inbound: readonly string[] = Object.values(inboundTopics);

/** The topic whose messages one of a single sender carries: `curtail.inventory` of `curtail.inventory.agent-1`. */
const baseOf = (topic: string): string => inbound.find((base) => topic.startsWith(`${base}.`)) ?? topic;

function clientOf(options: KafkaOptions, limits: KafkaPatience): Kafka {
  const { onClientLog } = options;
  return new kafkajs.Kafka({
    brokers: options.brokers,
    clientId: options.clientId,
    connectionTimeout: limits.connectionTimeoutMs,
    authenticationTimeout: limits.requestTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    enforceRequestTimeout: true,
    ...securityOf(options),
    retry: { ...clientRetry },
    logLevel: onClientLog ? kafkajs.logLevel.WARN : kafkajs.logLevel.NOTHING,
    logCreator:
      () =>
      ({ level, log }) => {
        const text = clientLogText(log);
        if (text !== undefined) onClientLog?.(level === kafkajs.logLevel.ERROR ? 'error' : 'warn', text);
      },
  });
}

function present(options: KafkaOptions): Partial<KafkaPatience> {
  const names = Object.keys(patience) as (keyof KafkaPatience)[];
  return Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

interface ClientLog {
  message: string;
  error?: unknown;
  [field: string]: unknown;
}

/**
 * A log entry of the client, in one line; undefined for entries that are reported anyway: errors, and crashes of
 * consumers, which are events; for requests that were under way when their client ended; and for a producer without
 * attempts left, which is discarded (Publisher).
 */
export function clientLogText({ message, error, ...rest }: ClientLog): string | undefined {
  if (ofNoConcern.test(message)) return undefined;
  const about = ['groupId', 'broker', 'topic'].flatMap((name) =>
    typeof rest[name] === 'string' ? [`${name} ${rest[name]}`] : [],
  );
  return [message, typeof error === 'string' && error !== message ? error : '', ...about]
    .filter(Boolean)
    .join('; ');
}

/** Sentences of kafkajs, which gives its log entries no codes. */
const ofNoConcern =
  /^(Response |Failed to send messages|The group is rebalancing|Limiting retries for the idempotent producer|Crash: |Connection error: write after end$)/;

/**
 * Checks whether Kafka answers now, with a client of its own: a long-lived client does not notice that its broker is
 * gone. Takes some 15 ms when it is healthy, at most `timeoutMs` when it is frozen.
 *
 * @throws Error with the reason.
 */
export async function probeKafka(options: KafkaOptions, timeoutMs = 2000): Promise<void> {
  const admin = new kafkajs.Kafka({
    brokers: options.brokers,
    clientId: `${options.clientId}-probe`,
    connectionTimeout: Math.min(1000, timeoutMs),
    requestTimeout: timeoutMs,
    authenticationTimeout: timeoutMs,
    enforceRequestTimeout: true,
    ...securityOf(options),
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
  }).admin();
  try {
    await admin.connect();
    await admin.describeCluster();
  } catch (error) {
    throw describeTrouble(error, { doing: 'asking Kafka' });
  } finally {
    await admin.disconnect().catch(() => {});
  }
}
