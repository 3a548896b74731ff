import type { Admin } from 'kafkajs';
import { describeTrouble } from './kafka-trouble.js';
import { KeptAdmin } from './kept-admin.js';
import type { KafkaConnection } from './open-kafka.js';
import type { Ends } from './topic-ends.js';

/**
 * Reads the committed offsets of a group in each partition of its topics from the brokers, over one client that is
 * created on first use.
 */
export class AskPositions {
  private readonly admin: KeptAdmin;

  constructor(
    private readonly connection: KafkaConnection,
    /** Its topics are those of the catalog. */
    private readonly consumer: { name: string; topics: readonly string[] },
  ) {
    this.admin = new KeptAdmin(connection);
  }

  /** @throws Error with the reason. */
  async now(): Promise<GroupPosition> {
    const { name, topics } = this.consumer;
    const names = topics.map(this.connection.topicName);
    const groupId = this.connection.groupName(name);
    try {
      return await this.admin.ask((admin) => positionsOf(admin, groupId, names));
    } catch (error) {
      throw describeTrouble(error, {
        doing: `asking how far ${name} has read`,
        topics: names,
        group: groupId,
      });
    }
  }

  close(): Promise<void> {
    return this.admin.close();
  }
}

async function positionsOf(admin: Admin, groupId: string, names: string[]): Promise<GroupPosition> {
  const existing = new Set(await admin.listTopics());
  const topics = names.filter((name) => existing.has(name));
  const [offsets, ...ends] = await Promise.all([
    admin.fetchOffsets({ groupId, topics }),
    ...topics.map((topic) => admin.fetchTopicOffsets(topic)),
  ]);
  return new Map(
    topics.map((topic, index) => {
      const committed = offsets.find((one) => one.topic === topic)?.partitions ?? [];
      return [topic, new Map(ends[index]!.map((end) => [end.partition, positionOf(end, committed)]))];
    }),
  );
}

function positionOf(
  { partition, low, high }: { partition: number; low: string; high: string },
  committed: readonly { partition: number; offset: string }[],
): PartitionPosition {
  // Negative: nothing is committed, or the offset is still unknown.
  const offset = BigInt(committed.find((one) => one.partition === partition)?.offset ?? -1);
  return { low: BigInt(low), high: BigInt(high), committed: offset < 0n ? undefined : offset };
}

/** A partition, and the next offset of a group in it. */
export interface PartitionPosition extends Ends {
  /** Undefined: the group has committed nothing, and begins with the first existing message. */
  committed: bigint | undefined;
}

/** The partitions of each topic, by its name in the cluster. A topic that does not exist is missing. */
export type GroupPosition = ReadonlyMap<string, ReadonlyMap<number, PartitionPosition>>;

/**
 * Whether a group has read everything that was on its topics at an earlier moment, as far as it still exists: deleted
 * topics, partitions and messages deliver nothing any more.
 */
export function hasRead(measured: GroupPosition, now: GroupPosition): boolean {
  for (const [topic, partitions] of measured) {
    for (const [partition, { high }] of partitions) {
      const there = now.get(topic)?.get(partition);
      if (!there) continue;
      const at = there.committed === undefined || there.committed < there.low ? there.low : there.committed;
      if (at < high && at < there.high) return false;
    }
  }
  return true;
}

/** The possible cause of missing messages, by the state of a topic before and now. */
export function whatHappened(
  topic: string,
  before: GroupPosition,
  now: GroupPosition,
): 'missing' | 'created-again' | 'skipped' {
  const there = now.get(topic);
  if (!there) return 'missing';
  const ends = [...(before.get(topic) ?? [])];
  return ends.some(([partition, { high }]) => (there.get(partition)?.high ?? 0n) < high)
    ? 'created-again'
    : 'skipped';
}
