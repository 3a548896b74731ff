import {
  constant,
  type GeneralSettings,
  optionalSetting,
  SettingsError,
  type SettingsOf,
  text,
  word,
} from '#platform';
import type { KafkaSettings } from './kafka-settings.js';

/** Settings of the console, which signs how far the hash chains of the log are. */
export const checkpointSettings = {
  checkpointFile: optionalSetting(
    'CURTAIL_CHECKPOINT_FILE',
    text({ min: 1, max: 4096, right: 'the path of a file' }),
    {
      help: 'File to which signed checkpoints of the log are appended, best on a disk where nothing can be changed; needs CURTAIL_SIGNING_KEY_FILE',
    },
  ),
  checkpointTopic: optionalSetting(
    'CURTAIL_CHECKPOINT_TOPIC',
    word({ of: /^[A-Za-z0-9._-]{1,249}$/, right: 'the name of a topic that exists, without a prefix' }),
    { help: 'Topic of Kafka to which they are sent, besides or instead; needs CURTAIL_SIGNING_KEY_FILE' },
  ),
  /** Between checkpoints while events are recorded: so long, at most, can a chain be laid again without a trace. */
  checkpointMinutes: constant(10),
};

/** @throws SettingsError for checkpoints without a key, or a topic without brokers. */
export function assertCheckpoints({
  checkpointFile,
  checkpointTopic,
  signingKey,
  kafkaBrokers,
}: Pick<SettingsOf<typeof checkpointSettings>, 'checkpointFile' | 'checkpointTopic'> &
  Pick<GeneralSettings, 'signingKey'> &
  Pick<KafkaSettings, 'kafkaBrokers'>): void {
  const named = checkpointFile === undefined ? 'CURTAIL_CHECKPOINT_TOPIC' : 'CURTAIL_CHECKPOINT_FILE';
  if ((checkpointFile ?? checkpointTopic) !== undefined && signingKey === undefined) {
    throw new SettingsError([
      {
        variable: 'CURTAIL_SIGNING_KEY_FILE',
        wrong: `is not set, but ${named} is: checkpoints are signed`,
        remedy: 'give a file with a key: openssl genpkey -algorithm ed25519 -out signing.pem',
      },
    ]);
  }
  if (checkpointTopic === undefined || kafkaBrokers !== undefined) return;
  throw new SettingsError([
    {
      variable: 'KAFKA_BROKERS',
      wrong: 'is not set, but CURTAIL_CHECKPOINT_TOPIC is',
      remedy: 'name the brokers, or use CURTAIL_CHECKPOINT_FILE',
    },
  ]);
}

/** Settings of the console, which archives the log and reads archives. */
export const archiveSettings = {
  archiveDir: optionalSetting(
    'CURTAIL_ARCHIVE_DIR',
    text({ min: 1, max: 4096, right: 'the path of a folder' }),
    { help: 'Folder for archives of the log, which `curtail log archive` writes and replays read' },
  ),
  /**
   * Of a month of the log, in days since its end: last month's runs and reports are asked for in the database. A message on Kafka whose event
   * has left the log would count as forged, so it is longer than Kafka keeps messages.
   */
  archiveAfterDays: constant(35),
};
