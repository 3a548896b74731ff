/**
 * The part of the contracts that loads no library: a planner offline is done in the time that zod and yaml take to load.
 * Everything here is in `@curtail/contracts` as well.
 */
export { counted } from './counted.js';
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
export type { Resources } from './planning/resources.js';
export type { ReadProtect } from './planning/setting-fields.js';
export { type ReadSettings, readSettings } from './planning/settings.js';
export type * from './planning/trigger.js';
export { shown } from './shown.js';
