/**
 * The shapes that all parts of Curtail share. This entry loads no library, so that short commands start fast; schemas and the catalog of
 * events are in `#contracts/events`, which loads zod.
 */

export { commonEnds } from './common-ends.js';
export type { OwnerAnswerKind } from './events/answers.js';
export type * from './events/catalog.js';
export { clusterOf, shownCluster, sourceOfCluster } from './events/cluster-source.js';
export type { ConfiguredQueue } from './events/config.js';
export {
  type ConfigurationFormat,
  configurationFormats,
  configurationLimits,
} from './events/configuration-formats.js';
export type { FreezeWindow } from './events/control.js';
export type { EnforcementOutcome, RunFailures, Unblocked } from './events/enforcement.js';
export type { Blocker, QuotaTurns, QuotaValues, RecordedNotice } from './events/shapes.js';
export * from './ground.js';
export { pauseAfter } from './pause-after.js';
export type * from './planning/fair-share-plan.js';
export {
  type ReadFairShareSettings,
  readFairShareSettings,
  readSomeFairShareSettings,
} from './planning/fair-share-settings.js';
export {
  type IntraQueueSettings,
  type PreemptionOrderPolicy,
  preemptionOrderPolicyOf,
  type ReadIntraQueueSettings,
  type ResourceCalculator,
  readIntraQueueSettings,
} from './planning/intra-queue-settings.js';
export type * from './planning/plan.js';
export * from './planning/policy.js';
export { careProperties, parseMinRun, parseShare, sharesFault } from './planning/queue-care.js';
export {
  defaultsOfRuns,
  type Flapping,
  flappingOf,
  foresightValues,
  freezeProperty,
  mayHaveSetting,
  type PartitionSetting,
  propertyOf,
  type QueueProtection,
  type QueueSetting,
  type QueueSettings,
  type QueueWithProperties,
  queueSettings,
  rangesOfSettings,
  readQueueSetting,
  settingsOfAnswers,
  settingsOfPartitions,
  settingsOfPlans,
  settingsOfQueue,
  settingsOfRuns,
} from './planning/queue-settings.js';
export { flag } from './planning/setting-schema.js';
export {
  type AfterRun,
  type GuaranteedEqualsMax,
  type OnRestart,
  type QuotaDecreaseSettings,
  type ReadDecreaseSettings,
  readDecreaseSettings,
  type TimerPolicy,
} from './planning/settings.js';
export {
  maxProtectedNames,
  type OwnerBudget,
  type Protect,
  type ReadProtect,
  victimsKeptDays,
} from './planning/shared-settings.js';
export * from './planning/snapshot.js';
export {
  type Delay,
  parseDelayDuration,
  parseDelaySeconds,
  sameLength,
  textOfNumber,
  type WrittenScalar,
} from './quantities/delay.js';
export { parseQuantity, quantitiesOfText, wantedQuantities } from './quantities/quantity.js';
export {
  pageOfRunbook,
  type RunbookCode,
  runbookByCode,
  runbookOf,
  runbooks,
  withRunbook,
} from './runbooks.js';
export { inPlainWords, schemaFaults } from './schema-faults.js';
export { sentenceOf } from './sentences/sentence-of.js';
export {
  compareFractions,
  decimalFraction,
  type Fraction,
  fraction,
  fractionOf,
  fractionOfNumber,
  fractionText,
  partOf,
  percentText,
  productOfFractions,
  sumOfFractions,
  wholeFraction,
} from './shares/fraction.js';
export { decodedText, findUnstorable, isStorableTime, mayBeUnstorable, whyNotStorable } from './storable.js';
export {
  ofApplication,
  ofEnforcement,
  ofPartition,
  ofQueue,
  queueOfSubject,
  type Subject,
} from './subject.js';
export { yamlFaults } from './yaml-fault.js';
