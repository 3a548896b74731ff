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
  const watermark = new TopicWatermark({
    connection: openKafka({ ...kafka, clientId: `${kafka.clientId}-watermark` }),
    database,
    topic: reader!.topics[0]!,
    consumer: reader!.name,
  });
  shutdown.register('pools', 'the watermark of reports', () => watermark.close());
  return watermark;
}
