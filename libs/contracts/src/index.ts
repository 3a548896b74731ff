export { asyncApi } from './asyncapi/document.js';
export * from './configuration/index.js';
export * from './events/catalog.js';
export type { ConfiguredQueue } from './events/config.js';
export type { EnforcementOutcome } from './events/enforcement.js';
export { eventSchemas, inboundSchemas } from './events/json-schema.js';
export type { QuotaValues } from './events/shapes.js';
export { InputError } from './input-error.js';
export { amountText } from './planning/amount-text.js';
export type * from './planning/fair-share-plan.js';
export {
  type FairShareReasonKind,
  type FairShareSettings,
  type ReadFairShareSettings,
  readFairShareSettings,
} from './planning/fair-share-settings.js';
export type * from './planning/intra-queue-plan.js';
export {
  type IntraQueueSettings,
  type PreemptionOrderPolicy,
  preemptionOrderPolicyOf,
  type ReadIntraQueueSettings,
  type ResourceCalculator,
  readIntraQueueSettings,
} from './planning/intra-queue-settings.js';
export type * from './planning/plan.js';
export type * from './planning/resources.js';
export type { ReadProtect } from './planning/setting-fields.js';
export { type ReadSettings, readSettings } from './planning/settings.js';
export type * from './planning/snapshot.js';
export type * from './planning/trigger.js';
