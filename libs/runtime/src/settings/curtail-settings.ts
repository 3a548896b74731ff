import {
  databaseSettings,
  generalSettings,
  oneOf,
  optionalSetting,
  type SettingsOf,
  setting,
  text,
} from '#platform';
import {
  appSettings,
  brakeSettings,
  memorySettings,
  modeSettings,
  snapshotSettings,
} from './app-settings.js';
import { archiveSettings, checkpointSettings } from './checkpoint-settings.js';
import { clusterSettings, yarnSettings, ytsaurusSettings } from './cluster-settings.js';
import { kafkaSettings } from './kafka-settings.js';
import { kubernetesSettings } from './kubernetes-settings.js';
import { redisSettings } from './redis-settings.js';
import { retentionSettings } from './retention-settings.js';
import { webhookSettings } from './webhook-settings.js';

/** Settings of a process with its own database and a sample to explore. */
const sampleSettings = {
  dataDir: setting('CURTAIL_DATA', text({ min: 1, max: 4096 }), {
    default: './.curtail',
    help: 'Folder of the embedded database, used when DATABASE_URL is unset',
  }),
  sample: setting('CURTAIL_SAMPLE', oneOf(['yes', 'no']), {
    default: 'yes',
    help: 'Whether to fill an empty simulated cluster with the sample and its quotas',
  }),
};

/** The settings of all services of Curtail together, as `--help` lists them. */
export const curtailSettingGroups = {
  General: generalSettings,
  Database: databaseSettings,
  Trial: sampleSettings,
  Kafka: kafkaSettings,
  Redis: redisSettings,
  Cluster: clusterSettings,
  Kubernetes: kubernetesSettings,
  YARN: yarnSettings,
  YTsaurus: ytsaurusSettings,
  'Modes and policies': modeSettings,
  'Brakes on evictions': brakeSettings,
  'Size of plans': memorySettings,
  'Retention and archive': { ...retentionSettings, ...snapshotSettings, ...archiveSettings },
  'Checkpoints of the log': checkpointSettings,
  Webhook: webhookSettings,
};

export const curtailSettings = {
  ...generalSettings,
  ...databaseSettings,
  ...sampleSettings,
  ...kafkaSettings,
  ...redisSettings,
  ...clusterSettings,
  ...kubernetesSettings,
  ...yarnSettings,
  ...ytsaurusSettings,
  ...appSettings,
  ...retentionSettings,
  ...archiveSettings,
  ...checkpointSettings,
  ...webhookSettings,
};
export type CurtailSettings = SettingsOf<typeof curtailSettings>;

/** A file with the other settings; listed with them, and read before them. */
export const settingsFile = {
  settingsFile: optionalSetting(
    'CURTAIL_SETTINGS',
    text({ min: 1, max: 4096, right: 'the path of a file of NAME=value lines' }),
    { help: 'File with settings; the environment takes precedence' },
  ),
};
