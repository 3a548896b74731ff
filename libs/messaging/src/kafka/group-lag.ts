import type { Admin } from 'kafkajs';
import { KeptAdmin } from './kept-admin.js';
import type { KafkaConnection } from './open-kafka.js';

/** Measures the lag of groups, over one client that is created on first use. */
export class GroupLag {
  private readonly admin: KeptAdmin;

  constructor(private readonly connection: KafkaConnection) {
    this.admin = new KeptAdmin(connection);
  }

  /**
   * Messages that a group has not committed yet, of all partitions.
   *
   * @throws the error of the broker, or of the connection.
   */
  async of(consumers: readonly { name: string; topics: readonly string[] }[]): Promise<number[]> {
    return this.admin.ask((admin) => this.lagsOf(admin, consumers));
  }

  close(): Promise<void> {
    return this.admin.close();
  }

  private async lagsOf(
    admin: Admin,
    consumers: readonly { name: string; topics: readonly string[] }[],
  ): Promise<number[]> {
    const names = [...new Set(consumers.flatMap(({ topics }) => topics))].map(this.connection.topicName);
    const ends = new Map(
      await Promise.all(names.map(async (name) => [name, await admin.fetchTopicOffsets(name)] as const)),
    );
    return await Promise.all(
      consumers.map(async ({ name, topics }) => {
        const offsets = await admin.fetchOffsets({
          groupId: this.connection.groupName(name),
          topics: topics.map(this.connection.topicName),
        });
        return offsets.reduce(
          (sum, { topic, partitions }) => sum + behind(partitions, ends.get(topic) ?? []),
          0,
        );
      }),
    );
  }
}

/** Messages of a topic that a group has not committed yet. */
export function behind(
  committed: { partition: number; offset: string }[],
  ends: { partition: number; high: string; low: string }[],
): number {
  return ends.reduce((sum, { partition, high, low }) => {
    // -1: never committed. Offsets below the low end no longer exist.
    const offset = Number(committed.find((one) => one.partition === partition)?.offset ?? -1);
    return sum + Math.max(0, Number(high) - Math.max(offset, Number(low)));
  }, 0);
}
