import { catalog, inboundTopics } from '#contracts/events';
import { describeTrouble } from './kafka-trouble.js';
import type { KafkaConnection } from './open-kafka.js';

/** The topic of messages that cannot be handled; Curtail does not read it. */
export const deadLettersTopic = 'curtail.dead-letters';

/** Their senders may use compression that the client here cannot read: Snappy, LZ4, Zstandard. */
const ofOthers = new Set<string>(Object.values(inboundTopics));

export interface TopicPlan {
  topic: string;
  partitions: number;
  /** -1: forever. */
  retentionMs: number;
  maxMessageBytes: number;
  /**
   * `uncompressed`: the brokers decompress messages, and refuse those that are too long then. `producer`: they keep
   * them as they are.
   */
  compression: 'uncompressed' | 'producer';
}

export interface RequestedTopics {
  /** Default 6: the maximum number of processes of a service that share its work. */
  partitions?: number;
  /** Default 7 days: longer than any consumer may be away. */
  retentionMs?: number;
  /** Default 30 days. */
  deadLetterRetentionMs?: number;
  /** Default 8 MiB: plans with many victims are long. */
  maxMessageBytes?: number;
  /** Of single senders: each is as the one whose messages it carries. */
  senderTopics?: readonly string[];
  /** For single topics of the catalog. */
  only?: Record<string, Partial<Omit<TopicPlan, 'topic'>>>;
}

const dayMs = 86_400_000;

/** All topics of the catalog, and that of dead letters, with their required properties. */
export function planTopics(requested: RequestedTopics = {}): TopicPlan[] {
  const { partitions = 6, maxMessageBytes = 8 * 1024 * 1024 } = requested;
  const ofCatalog = new Set<string>(Object.values(catalog).map(({ topic }) => topic));
  const own = requested.senderTopics ?? [];
  return [...ofCatalog, deadLettersTopic, ...own].map((topic) => ({
    topic,
    partitions,
    retentionMs:
      topic === deadLettersTopic
        ? (requested.deadLetterRetentionMs ?? 30 * dayMs)
        : (requested.retentionMs ?? 7 * dayMs),
    maxMessageBytes,
    compression: ofOthers.has(topic) || own.includes(topic) ? 'uncompressed' : 'producer',
    ...requested.only?.[topic],
  }));
}

/**
 * The destination of the log: the cluster, and the prefix there. A new cluster has none of the messages, and receives
 * them all.
 *
 * @throws Error with the reason why the brokers do not answer.
 */
export async function destinationOf(connection: KafkaConnection): Promise<string> {
  const admin = connection.admin();
  try {
    await admin.connect();
    const { clusterId } = await admin.describeCluster();
    return `${clusterId}/${connection.prefix}`;
  } catch (error) {
    throw describeTrouble(error, { doing: 'asking Kafka for its name' });
  } finally {
    await admin.disconnect().catch(() => {});
  }
}
