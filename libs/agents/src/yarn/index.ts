export { noSettings, readYarnSettings, type YarnSettings } from './agent-options.js';
export { readApps, readInfo, readNodes, readScheduler } from './answers.js';
export { monitorKey } from './configuration.js';
export { schedulerVersion } from './scheduler-version.js';
export { YarnApi } from './yarn-api.js';
export { YarnCluster } from './yarn-cluster.js';
export { YarnError } from './yarn-error.js';
