import type { Admin } from 'kafkajs';
import type { AppliedOffset } from '../applied-offsets.js';
import { BusError } from '../event-bus.js';
import { describeTrouble } from './kafka-trouble.js';
import { KeptAdmin, partitionsOfTopics } from './kept-admin.js';
import type { KafkaConnection } from './open-kafka.js';

/**
 * Reads the first and last offsets of each partition of a topic from the brokers, over one client that is created on
 * first use. After a failure the next request uses a new client, which refreshes its metadata.
 */
export class TopicEnds {
  private readonly admin: KeptAdmin;

  constructor(
    private readonly connection: KafkaConnection,
    /** Of the catalog. */
    private readonly topic: string,
  ) {
    this.admin = new KeptAdmin(connection);
  }

  /** @throws Error with the reason, if a partition is missing in the answer, or there is no answer in time. */
  async now(): Promise<Map<number, Ends>> {
    const topic = this.connection.topicName(this.topic);
    try {
      const ask = () => this.admin.ask((admin) => endsOf(admin, topic));
      const ends = await ask();
      if (ends) return ends;
      // The client keeps the number of partitions for minutes.
      await this.close();
      const again = await ask();
      if (again) return again;
      throw new BusError('partitions-changing', `the number of partitions of ${topic} is changing`);
    } catch (error) {
      throw describeTrouble(error, { doing: `asking for the end of ${topic}`, topics: [topic] });
    }
  }

  close(): Promise<void> {
    return this.admin.close();
  }
}

/** @returns undefined if the client does not know all partitions. */
async function endsOf(admin: Admin, topic: string): Promise<Map<number, Ends> | undefined> {
  const topics = await partitionsOfTopics(admin, [topic]);
  const offsets = await admin.fetchTopicOffsets(topic);
  const partitions = topics.find(({ name }) => name === topic)?.partitions.length ?? 0;
  if (partitions !== offsets.length) return undefined;
  return new Map(
    offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]),
  );
}

/** The ends of a partition on the broker: the first offset that still exists, and the one after its last. */
export interface Ends {
  low: bigint;
  high: bigint;
}

/**
 * The offset from which a group reads a partition, compared with the recorded applied offset. Offsets are committed
 * only after effects, so everything below a committed offset is applied.
 *
 * @param known the entry in the table of applied offsets; undefined: none.
 * @param committed undefined: the group has committed nothing, and begins with the first existing message.
 * @returns the entry to record; undefined if the table is right. `isGap`: messages were never applied.
 */
export function startOfReading(
  known: bigint | undefined,
  committed: bigint | undefined,
  { low, high }: Ends,
): { nextOffset: bigint; isGap: boolean } | undefined {
  const isThere = committed !== undefined && committed >= low && committed <= high;
  const nextOffset = isThere ? committed : low;
  if (known === undefined) return { nextOffset, isGap: nextOffset > 0n && !isThere };
  // Above the end: the topic was recreated. Below the start: the messages in between are skipped.
  if (known > high || known < nextOffset) return { nextOffset, isGap: true };
  return undefined;
}

/** The reason why a consumer has not applied everything that was on its topic at a moment. */
export interface Unread {
  /** The number of Kafka partitions with messages that are not applied. */
  behind: { partition: number; messages: number }[];
  /** Kafka partitions where messages are missing that were never applied. */
  missing: number[];
  /** When the latest gap was found, by the clock of the database; null = there was none. */
  gapAt: Date | null;
}

/**
 * Compares the ends of all partitions with the applied offsets.
 *
 * A partition that ends below the applied offset was recreated; one that begins above it has lost messages. Both count
 * as missing until the consumer has detected and recorded a gap.
 *
 * @param before the applied offsets before the ends were read: later, more may be applied than existed then.
 */
export function unreadOf(
  ends: ReadonlyMap<number, Ends>,
  applied: ReadonlyMap<number, AppliedOffset>,
  before: ReadonlyMap<number, AppliedOffset> = applied,
): Unread {
  const unread: Unread = { behind: [], missing: [], gapAt: null };
  for (const [partition, { low, high }] of [...ends].sort(([a], [b]) => a - b)) {
    const { nextOffset = 0n, gapAt = null } = applied.get(partition) ?? {};
    if (gapAt && (!unread.gapAt || gapAt > unread.gapAt)) unread.gapAt = gapAt;
    const isRecreated = nextOffset > high && (before.get(partition)?.nextOffset ?? 0n) > high;
    if (isRecreated || nextOffset < low) unread.missing.push(partition);
    else if (nextOffset < high) unread.behind.push({ partition, messages: Number(high - nextOffset) });
  }
  return unread;
}

export const isAllApplied = ({ behind, missing }: Unread): boolean =>
  behind.length === 0 && missing.length === 0;
