import type { ConnectionOptions } from 'node:tls';
import type { KafkaConfig, SASLOptions } from 'kafkajs';

/** The connection to Kafka, and its time limits. */
export interface KafkaOptions {
  /** The library that sends and receives, default kafkajs. Questions about topics and groups go through kafkajs with either. */
  client?: 'kafkajs' | 'platformatic';
  /** `host:port` of some brokers; they name the others. */
  brokers: string[];
  /** Named in the logs of the brokers. */
  clientId: string;
  /** The prefix of every topic and group, default ''. So several Curtails can share a cluster. */
  topicPrefix?: string;
  /** Topics of single senders, without the prefix: `curtail.inventory.agent-1`. */
  senderTopics?: readonly string[];
  tls?: KafkaTls;
  sasl?: KafkaSasl;
  connectionTimeoutMs?: number;
  /** The time limit for an answer: the delay that a frozen broker causes. Default 10,000. */
  requestTimeoutMs?: number;
  /**
   * The time without a heartbeat after which a consumer loses its partitions, default 6,000: the minimum of a broker by
   * default.
   */
  sessionTimeoutMs?: number;
  /** Default 1000. A heartbeat detects a rebalance. */
  heartbeatIntervalMs?: number;
  /** The maximum wait of a rebalance for members to finish their batches, default 15,000. */
  rebalanceTimeoutMs?: number;
  /**
   * The maximum wait of a broker for messages before it answers without any, default 1000: heartbeats are sent between
   * two answers.
   */
  maxWaitMs?: number;
  /** The interval at which new partitions and leaders are detected without an error, default 30,000. */
  metadataMaxAgeMs?: number;
  /** Warnings and errors of the client; it recovers from most of them by itself. */
  onClientLog?: (level: 'warn' | 'error', message: string) => void;
}

export type KafkaPatience = Required<
  Pick<
    KafkaOptions,
    | 'connectionTimeoutMs'
    | 'requestTimeoutMs'
    | 'sessionTimeoutMs'
    | 'heartbeatIntervalMs'
    | 'rebalanceTimeoutMs'
    | 'maxWaitMs'
    | 'metadataMaxAgeMs'
  >
>;

/**
 * With the client's own defaults a rebalance takes 2 to 9 s and detecting a dead member 32 s; with these a second and 6 s.
 * After all brokers were away a consumer returns as a new member, so it waits that long too.
 */
export const patience: KafkaPatience = {
  connectionTimeoutMs: 3000,
  requestTimeoutMs: 10_000,
  sessionTimeoutMs: 6000,
  heartbeatIntervalMs: 1000,
  rebalanceTimeoutMs: 15_000,
  maxWaitMs: 1000,
  metadataMaxAgeMs: 30_000,
};

/**
 * The retries of the client itself. All five are set, since it has other defaults when NODE_ENV is `test`. A failure
 * that outlasts them is reported: a consumer is recreated, the relay sends its page again.
 */
export const clientRetry = {
  initialRetryTime: 100,
  maxRetryTime: 1000,
  factor: 0.2,
  multiplier: 2,
  retries: 8,
} as const;

/** TLS with the certificates of the system, or with these. PEM texts. */
interface KafkaTls {
  /** The authorities of the brokers' certificates, in place of those of the system. */
  ca?: string;
  /** Certificate and key of this client, for brokers that require one (mTLS). */
  cert?: string;
  key?: string;
}

export type KafkaSasl =
  | { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
  | {
      mechanism: 'oauthbearer';
      /** Returns a currently valid token; called again before a token expires. */
      token: () => Promise<string>;
    };

/** Tokens are renewed this long before they expire. */
const renewBeforeEndMs = 10_000;

export function securityOf(options: {
  tls?: KafkaTls;
  sasl?: KafkaSasl;
}): Pick<KafkaConfig, 'ssl' | 'sasl' | 'reauthenticationThreshold'> {
  return {
    ...(options.tls ? { ssl: tlsOf(options.tls) } : {}),
    ...(options.sasl ? { sasl: saslOf(options.sasl), reauthenticationThreshold: renewBeforeEndMs } : {}),
  };
}

export function tlsOf({ ca, cert, key }: KafkaTls): ConnectionOptions {
  return {
    ...(ca === undefined ? {} : { ca: [ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    minVersion: 'TLSv1.2',
  };
}

function saslOf(sasl: KafkaSasl): SASLOptions {
  if (sasl.mechanism !== 'oauthbearer') return sasl;
  return {
    mechanism: 'oauthbearer',
    oauthBearerProvider: async () => ({ value: await sasl.token() }),
  };
}
