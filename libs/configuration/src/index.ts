export { readConfigurationLine, readQuantityLine } from './batch-line.js';
export {
  joinYarnSite,
  readHadoopProperties,
  rewriteHadoopXml,
} from './capacity-scheduler/hadoop-properties.js';
export { effectOnClock, isLowered, leaves } from './clock-effect.js';
export { queuesTextOf } from './config-map/config-map.js';
export {
  type AmountChange,
  type Comparable,
  type ConfigurationDifference,
  diffConfigurations,
  type QueueDifference,
  type ShareChange,
} from './difference.js';
export { type KeptEntries, readEntries } from './entries/read-entries.js';
export {
  configuredPolicies,
  enforcesLimits,
  type PartitionPolicies,
  type PolicySettings,
  policyChanges,
  valueChanges,
} from './policies.js';
export { quantityText } from './quantity-text.js';
export {
  type ConfigurationWithQueue,
  isInEntry,
  type QueueText,
  queueTextIn,
  type RefusedQueueText,
  withPlaceInEntry,
  withQueueText,
} from './queue-text.js';
export { type ConfigurationOptions, readConfiguration } from './read-configuration.js';
export type { ConfigurationPartition, ConfigurationQueue, ConfigurationResult } from './result.js';
export { unknownTypeText } from './warnings.js';
export { attributesOfPoolTrees, preemptsByItself } from './ytsaurus/attributes-to-read.js';
