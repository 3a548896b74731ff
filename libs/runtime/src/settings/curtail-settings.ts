import { databaseSettings, generalSettings, oneOf, type SettingsOf, setting, text } from '@curtail/platform';
import { appSettings } from './app-settings.js';
import { archiveSettings } from './archive-settings.js';
import { clusterSettings } from './cluster-settings.js';
import { kafkaSettings } from './kafka-settings.js';
import { kubernetesSettings } from './kubernetes-settings.js';
import { redisSettings } from './redis-settings.js';
import { retentionSettings } from './retention-settings.js';

/** Of a process that brings its own database, and something to look at. */
const firstLookSettings = {
  dataDir: setting('CURTAIL_DATA', text({ min: 1, max: 4096 }), {
    default: './.curtail',
    help: 'Folder of the embedded database, used when DATABASE_URL is unset',
  }),
  sample: setting('CURTAIL_SAMPLE', oneOf(['yes', 'no']), {
    default: 'yes',
    help: 'Whether an empty simulated cluster is filled with the sample, with its quotas',
  }),
};

/** What the services of Curtail can be told, all of them together, as `--help` lists it. */
export const curtailSettingGroups = {
  General: generalSettings,
  Database: databaseSettings,
  'First look': firstLookSettings,
  Kafka: kafkaSettings,
  Redis: redisSettings,
  Cluster: clusterSettings,
  Kubernetes: kubernetesSettings,
  Work: appSettings,
  Retention: retentionSettings,
  Archive: archiveSettings,
};

export const curtailSettings = {
  ...generalSettings,
  ...databaseSettings,
  ...firstLookSettings,
  ...kafkaSettings,
  ...redisSettings,
  ...clusterSettings,
  ...kubernetesSettings,
  ...appSettings,
  ...retentionSettings,
  ...archiveSettings,
};
export type CurtailSettings = SettingsOf<typeof curtailSettings>;
