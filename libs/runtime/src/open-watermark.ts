import { InventoryReports, type ReportsWatermark } from '@curtail/clusters';
import type { KafkaOptions } from '@curtail/messaging/kafka';
import type { Shutdown } from '@curtail/platform';
import type { DataSource } from 'typeorm';
import type { ClusterSettings } from './settings/cluster-settings.js';

/**
 * Tells whether the reports of schedulers are applied, to readers of a cluster that is known by them. Undefined where no
 * reports come over Kafka. It connects when it is first asked.
 */
export async function openWatermark(
  kafka: KafkaOptions | undefined,
  { cluster }: ClusterSettings,
  { database, shutdown }: { database: DataSource; shutdown: Shutdown },
): Promise<ReportsWatermark | undefined> {
  if (!kafka || cluster !== 'inventory') return undefined;
  const { TopicWatermark, openKafka } = await import('./kafka.js');
  const reader = new InventoryReports();
  const watermark = new TopicWatermark({
    connection: openKafka({ ...kafka, clientId: `${kafka.clientId}-watermark` }),
    database,
    topic: reader.topics[0]!,
    consumer: reader.name,
  });
  shutdown.register('pools', 'the watermark of reports', () => watermark.close());
  return watermark;
}
