import { setTimeout as delay } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import type { Ground } from './servers.js';

/** Waits until the group of a service has so many members, and all have their partitions. */
export async function groupIsStable(
  { direct, topicPrefix }: Ground,
  app: string,
  members: number,
): Promise<void> {
  const admin = new Kafka({ clientId: 'test', brokers: direct.brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    for (;;) {
      const { groups } = await admin.describeGroups([`${topicPrefix}curtail.${app}`]);
      const [group] = groups;
      if (group?.state === 'Stable' && group.members.length === members) return;
      await delay(50);
    }
  } finally {
    await admin.disconnect();
  }
}
