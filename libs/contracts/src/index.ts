export { asyncApi } from './asyncapi/document.js';
export * from './events/catalog.js';
export { clusterOf, sourceOfCluster } from './events/cluster-source.js';
export type { ConfiguredQueue } from './events/config.js';
export { type ConfigurationFormat, configurationFormats } from './events/configuration-formats.js';
export { configurationLimits } from './events/configuration-limits.js';
export type { EnforcementOutcome, RunFailures } from './events/enforcement.js';
export { inboundLimits } from './events/inbound-shapes.js';
export { eventSchemas, inboundSchemas } from './events/json-schema.js';
export type { QuotaValues } from './events/shapes.js';
export { schemaVersion, type Upcaster, upcast, upcasters } from './events/upcasters.js';
export * from './plain.js';
export type * from './planning/resources.js';
export { maxProtectedNames } from './planning/setting-fields.js';
export type * from './planning/snapshot.js';
export { totalOf } from './planning/total-of.js';
export {
  amountsOfLimit,
  type ClusterShare,
  clusterSize,
  type Limit,
  resolveShares,
  shareText,
} from './shares/cluster-share.js';
export { type ComparableLimit, comparableLimits } from './shares/comparable-limits.js';
export {
  compareFractions,
  decimalFraction,
  type Fraction,
  fraction,
  fractionOf,
  fractionText,
  partOf,
  percentText,
  productOfFractions,
  sumOfFractions,
  wholeFraction,
} from './shares/fraction.js';
