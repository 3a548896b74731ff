import type { Admin } from 'kafkajs';
import type { GroupPosition, PartitionPosition } from './group-position.js';
import { describeTrouble } from './kafka-trouble.js';
import { KeptAdmin } from './kept-admin.js';
import type { KafkaConnection } from './open-kafka.js';

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
