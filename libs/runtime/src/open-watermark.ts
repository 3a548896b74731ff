import type { DataSource } from 'typeorm';
import { InventoryReports, type ReportsWatermark } from '#clusters';
import { subscriptionsOf } from '#messaging';
import type { KafkaOptions } from '#messaging/kafka';
import type { Shutdown } from '#platform';
import type { ClusterSettings } from './settings/cluster-settings.js';

/**
 * Checks for readers of an inventory whether the reports of schedulers are applied. Undefined if no reports arrive over
 * Kafka. It connects on its first use.
 */
export async function openWatermark(
  kafka: KafkaOptions | undefined,
  { cluster }: ClusterSettings,
  { database, shutdown }: { database: DataSource; shutdown: Shutdown },
): Promise<ReportsWatermark | undefined> {
  if (!kafka || cluster !== 'inventory') return undefined;
  const { TopicWatermark, openKafka } = await import('./kafka.js');
  const [reader] = subscriptionsOf(InventoryReports);
  const connection = openKafka({ ...kafka, clientId: `${kafka.clientId}-watermark` });
  const topics = connection
    .topicNames(reader!.topics[0]!)
    .map((name) => name.slice(connection.prefix.length));
  const watermarks = topics.map(
    (topic) => new TopicWatermark({ connection, database, topic, consumer: reader!.name }),
  );
  shutdown.register('pools', 'the watermark of reports', async () => {
    await Promise.all(watermarks.map((watermark) => watermark.close()));
  });
  return watermarks.length === 1 ? watermarks[0] : ofSeveral(watermarks);
}

/** Several topics as one: their partitions are numbered in turn. */
export function ofSeveral(watermarks: readonly ReportsWatermark[]): ReportsWatermark {
  const size = watermarks.length;
  return {
    unread: async (waitMs) => {
      const all = await Promise.all(watermarks.map((watermark) => watermark.unread(waitMs)));
      const gaps = all.flatMap(({ gapAt }) => gapAt ?? []);
      return {
        behind: all.flatMap(({ behind }, index) =>
          behind.map(({ partition, messages }) => ({ partition: partition * size + index, messages })),
        ),
        missing: all.flatMap(({ missing }, index) => missing.map((partition) => partition * size + index)),
        gapAt: gaps.length === 0 ? null : new Date(Math.max(...gaps.map(Number))),
      };
    },
    placeOf: (partition) => watermarks[partition % size]!.placeOf(Math.floor(partition / size)),
  };
}
