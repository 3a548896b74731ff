import type { KafkaSasl, KafkaTls } from './security.js';

/** How Kafka is reached, and how patient one is with it. */
export interface KafkaOptions {
  /** `host:port` of some brokers; the others are learnt from them. */
  brokers: string[];
  /** Named in the logs of the brokers. */
  clientId: string;
  /** Put before every topic and group, default ''. Several Curtails can so share a cluster. */
  topicPrefix?: string;
  tls?: KafkaTls;
  sasl?: KafkaSasl;
  connectionTimeoutMs?: number;
  /** An answer that takes longer is not waited for: the time that a frozen broker costs. Default 10,000. */
  requestTimeoutMs?: number;
  /** A consumer that is silent for longer loses its partitions, default 6,000: the least that a broker takes by default. */
  sessionTimeoutMs?: number;
  /** Default 500. A rebalance is noticed with a heartbeat. */
  heartbeatIntervalMs?: number;
  /** How long a rebalance waits for members to finish their batches, default 15,000. */
  rebalanceTimeoutMs?: number;
  /** How long a broker waits for messages before it answers that there are none, default 500: a heartbeat goes between two answers. */
  maxWaitMs?: number;
  /** How soon new partitions and leaders are noticed without an error, default 30,000. */
  metadataMaxAgeMs?: number;
  /** Warnings and errors of the client; it recovers from most of them by itself. */
  onClientLog?: (level: 'warn' | 'error', message: string) => void;
}

export type Patience = Required<
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
 * With the client's own defaults a rebalance takes 2 to 9 s and a dead member 32 s; with these 0.5 s and 6 s. A consumer
 * whose brokers were all away comes back as a new member, so it waits that long too.
 */
export const patience: Patience = {
  connectionTimeoutMs: 3000,
  requestTimeoutMs: 10_000,
  sessionTimeoutMs: 6000,
  heartbeatIntervalMs: 500,
  rebalanceTimeoutMs: 15_000,
  maxWaitMs: 500,
  metadataMaxAgeMs: 30_000,
};

/**
 * How often the client tries again by itself. All five are set, for it has others when NODE_ENV is `test`. A failure that outlasts
 * them reaches us: a consumer is made again, the relay sends its page again.
 */
export const clientRetry = {
  initialRetryTime: 100,
  maxRetryTime: 1000,
  factor: 0.2,
  multiplier: 2,
  retries: 8,
} as const;
