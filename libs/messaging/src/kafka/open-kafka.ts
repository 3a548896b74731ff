import type { Admin, Consumer, Kafka, Producer } from 'kafkajs';
import { clientLogText } from './client-log.js';
import { clientRetry, type KafkaOptions, type Patience, patience } from './kafka-options.js';
import { kafkajs } from './kafkajs.js';
import { quietRequests } from './kafkajs-patches/quiet-requests.js';
import { securityOf } from './security.js';

/**
 * Creates clients, and translates the names of topics and groups. It holds no connection: each client that it creates
 * has its own, and its owner ends it.
 */
export interface KafkaConnection {
  readonly prefix: string;
  readonly clientId: string;
  readonly patience: Patience;
  /** The name in the cluster of a topic of the catalog. */
  topicName(topic: string): string;
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
  return {
    prefix,
    clientId: options.clientId,
    patience: limits,
    topicName: (topic) => prefix + topic,
    topicOf: (name) => name.slice(prefix.length),
    groupName: (consumer) => `${prefix}curtail.${consumer}`,
    admin: () => kafka.admin({ retry: { ...clientRetry, retries: 2 } }),
    producer: () =>
      kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
        allowAutoTopicCreation: false,
        metadataMaxAge: limits.metadataMaxAgeMs,
        retry: { ...clientRetry },
      }),
    consumer: (groupId) =>
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

function clientOf(options: KafkaOptions, limits: Patience): Kafka {
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

function present(options: KafkaOptions): Partial<Patience> {
  const names = Object.keys(patience) as (keyof Patience)[];
  return Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}
