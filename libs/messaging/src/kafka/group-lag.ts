import type { Admin } from 'kafkajs';
import { counted } from '#contracts';
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
    const names = [...new Set(consumers.flatMap(({ topics }) => topics))].flatMap(this.connection.topicNames);
    const ends = new Map(
      await Promise.all(names.map(async (name) => [name, await admin.fetchTopicOffsets(name)] as const)),
    );
    return await Promise.all(
      consumers.map(async ({ name, topics }) => {
        const offsets = await admin.fetchOffsets({
          groupId: this.connection.groupName(name),
          topics: topics.flatMap(this.connection.topicNames),
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
function behind(
  committed: { partition: number; offset: string }[],
  ends: { partition: number; high: string; low: string }[],
): number {
  return ends.reduce((sum, { partition, high, low }) => {
    // -1: never committed. Offsets below the low end no longer exist.
    const offset = Number(committed.find((one) => one.partition === partition)?.offset ?? -1);
    return sum + Math.max(0, Number(high) - Math.max(offset, Number(low)));
  }, 0);
}

/**
 * Returns why a topic must not get more partitions now; undefined: it may. Keys move to other partitions then, where
 * later messages of a key may be read before earlier unread ones.
 *
 * It considers the groups that this user may see and that have read the topic before.
 *
 * @param unpublished events of the log that are not on Kafka yet, of all topics.
 */
export async function whyNotGrow(
  admin: Admin,
  topic: string,
  unpublished: number,
): Promise<string | undefined> {
  const lagging = await laggingOn(admin, topic);
  const reasons = [
    ...lagging.map(({ group, messages }) => `${group} has ${counted(messages, 'message')} of it to read`),
    ...(unpublished > 0
      ? [`${counted(unpublished, 'event')} of the log ${unpublished === 1 ? 'is' : 'are'} not published yet`]
      : []),
  ];
  return reasons.length > 0 ? reasons.join(', ') : undefined;
}

async function laggingOn(admin: Admin, topic: string): Promise<{ group: string; messages: number }[]> {
  const { groups } = await admin.listGroups();
  const ends = await admin.fetchTopicOffsets(topic);
  const lags = await Promise.all(
    groups.map(async ({ groupId: group }) => {
      const [offsets] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
      const committed = offsets?.partitions ?? [];
      const reads = committed.some(({ offset }) => Number(offset) >= 0);
      return { group, messages: reads ? behind(committed, ends) : 0 };
    }),
  );
  return lags.filter(({ messages }) => messages > 0).sort((a, b) => (a.group < b.group ? -1 : 1));
}
