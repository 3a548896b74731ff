import type { Admin } from 'kafkajs';
import { counted } from '#contracts';
import { behind } from './group-lag.js';

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
