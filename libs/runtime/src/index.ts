export { OPERATOR_DATABASE, READER_DATABASE, SCAN_DATABASE } from './databases.js';
export { RefusedWrites } from './refused-writes.js';
export { type Program, runAlone, runProgram } from './run-alone.js';
export { appsModule, type RunningApps, runApps } from './run-apps.js';
export type { Runtime } from './runtime.js';
export { runtimeModule } from './runtime.module.js';
export { Sampler } from './samples.js';
export type { ServiceApp, Worker } from './service-app.js';
export { appSettings, defaultMode, mostVictimsOf } from './settings/app-settings.js';
export {
  archiveSettings,
  assertCheckpoints,
  checkpointSettings,
} from './settings/checkpoint-settings.js';
export {
  type ClusterSettings,
  isWatchedKind,
  type WatchedKind,
  watchedKinds,
  type YarnVariables,
  type YtsaurusVariables,
  yarnSettings,
  ytsaurusSettings,
} from './settings/cluster-settings.js';
export {
  type CurtailSettings,
  curtailSettingGroups,
  curtailSettings,
  settingsFile,
} from './settings/curtail-settings.js';
export { type KafkaSettings, kafkaOptions, kafkaSettings } from './settings/kafka-settings.js';
export { type KubernetesSettings, kubernetesSettings } from './settings/kubernetes-settings.js';
export { redisSettings } from './settings/redis-settings.js';
export { retentionOfRecords, retentionSettings } from './settings/retention-settings.js';
export { type Webhook, webhookOf, webhookSettings } from './settings/webhook-settings.js';
export { type Retention, type Trim, type Trimmed, trimmedAtOnce, upTo } from './trims.js';
