import { catalog, inboundTopics } from '@curtail/contracts/events';

/** Where messages go that cannot be handled; nothing of Curtail reads it. */
export const deadLettersTopic = 'curtail.dead-letters';

/** Their senders may pack in ways that the client here cannot unpack: Snappy, LZ4, Zstandard. */
const ofOthers = new Set<string>(Object.values(inboundTopics));

export interface TopicPlan {
  topic: string;
  partitions: number;
  /** -1: the default of the cluster. */
  replication: number;
  /** -1: forever. */
  retentionMs: number;
  maxMessageBytes: number;
  /** `uncompressed`: the brokers unpack what comes, and refuse what is too long then. `producer`: they leave it as it comes. */
  compression: 'uncompressed' | 'producer';
}

export interface RequestedTopics {
  /** Default 6: the most processes of a service that share its work. */
  partitions?: number;
  /** Default: as the cluster has it. */
  replication?: number;
  /** Default 7 days: longer than any consumer may be away. */
  retentionMs?: number;
  /** Default 30 days. */
  deadLetterRetentionMs?: number;
  /** Default 8 MiB: plans of many victims are long. */
  maxMessageBytes?: number;
  /** For single topics of the catalog. */
  only?: Record<string, Partial<Omit<TopicPlan, 'topic'>>>;
}

const dayMs = 86_400_000;

/** All topics of the catalog, and that of dead letters, as they should be. */
export function planTopics(requested: RequestedTopics = {}): TopicPlan[] {
  const { partitions = 6, replication = -1, maxMessageBytes = 8 * 1024 * 1024 } = requested;
  const ofCatalog = new Set<string>(Object.values(catalog).map(({ topic }) => topic));
  return [...ofCatalog, deadLettersTopic].map((topic) => ({
    topic,
    partitions,
    replication,
    retentionMs:
      topic === deadLettersTopic
        ? (requested.deadLetterRetentionMs ?? 30 * dayMs)
        : (requested.retentionMs ?? 7 * dayMs),
    maxMessageBytes,
    compression: ofOthers.has(topic) ? 'uncompressed' : 'producer',
    ...requested.only?.[topic],
  }));
}
