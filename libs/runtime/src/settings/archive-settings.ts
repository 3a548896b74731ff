import { constant, optionalSetting, type SettingsOf, text } from '#platform';
import type { KafkaSettings } from './kafka-settings.js';

/** Settings of the console, which archives the log and reads archives. */
export const archiveSettings = {
  archiveDir: optionalSetting(
    'CURTAIL_ARCHIVE_DIR',
    text({ min: 1, max: 4096, right: 'the path of a folder' }),
    { help: 'Folder for archives of the log, which `curtail log archive` writes and replays read' },
  ),
  /** Of a month of the log, in days since its end: last month's runs and reports are asked for in the database. */
  archiveAfterDays: constant(35),
};

/**
 * The minimum age of a month of the log before it is archived, in days since its end. A message on Kafka whose event has left the log
 * would count as forged, so it is longer than Kafka keeps messages.
 */
export function minimumAgeOfArchives({
  archiveAfterDays,
  kafkaBrokers,
  kafkaRetentionHours,
}: Pick<SettingsOf<typeof archiveSettings>, 'archiveAfterDays'> &
  Pick<KafkaSettings, 'kafkaBrokers' | 'kafkaRetentionHours'>): number {
  if (kafkaBrokers === undefined) return archiveAfterDays;
  return Math.max(archiveAfterDays, Math.ceil(kafkaRetentionHours / 24) + 1);
}
