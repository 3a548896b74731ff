/**
 * The shapes that all parts of Curtail share. This entry loads no library, so that short commands start fast; schemas and the catalog of
 * events are in `#contracts/events`, which loads zod.
 */

export { counted } from './counted.js';
export { COVERS, covers } from './covers.js';
export { BrokenInvariant, CodedError, CurtailError } from './curtail-error.js';
export { decodedText } from './decoded-text.js';
export { didYouMean } from './did-you-mean.js';
export type { OwnerAnswerKind } from './events/answers.js';
export type * from './events/catalog.js';
export { clusterOf, sourceOfCluster } from './events/cluster-source.js';
export type { ConfiguredQueue } from './events/config.js';
export { type ConfigurationFormat, configurationFormats } from './events/configuration-formats.js';
export { configurationLimits } from './events/configuration-limits.js';
export type { FreezeWindow } from './events/control.js';
export type { EnforcementOutcome, RunFailures, Unblocked } from './events/enforcement.js';
export type { Blocker, QuotaTurns, QuotaValues, RecordedNotice } from './events/shapes.js';
export { fieldPath } from './field-path.js';
export { firstOf } from './first-of.js';
export { freesNothing, moreRoom } from './frees-nothing.js';
export { InputError } from './input-error.js';
export { isObject, isPlainObject } from './is-object.js';
export { meantQueue } from './meant-queue.js';
export { nearestOf } from './nearest-of.js';
export { isOnByDefault } from './on-by-default.js';
export { defaultPartition, partitionOption, placeOptions } from './partition-option.js';
export { type Pauses, pauseAfter } from './pause-after.js';
export { amountText } from './planning/amount-text.js';
export type * from './planning/facts.js';
export type * from './planning/fair-share-plan.js';
export {
  type ReadFairShareSettings,
  readFairShareSettings,
  readSomeFairShareSettings,
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
export {
  nodeLabelsField,
  nodeLabelsIn,
  nodeLabelsOf,
  nodeLabelsProperty,
  nodeLabelsRemedy,
  nodeLabelsSentence,
  nodeLabelsText,
  unnamedLabels,
} from './planning/node-labels.js';
export { type OwnerBudget, victimsKeptDays } from './planning/owner-budgets.js';
export type * from './planning/plan.js';
export { clockKind, clockTrigger, policyOfEvent } from './planning/policy.js';
export { PolicyRegistry } from './planning/policy-registry.js';
export { maxProtectedNames, type Protect, type ReadProtect } from './planning/protect.js';
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
export type * from './planning/resources.js';
export { flag } from './planning/setting-schema.js';
export {
  type AfterRun,
  type GuaranteedEqualsMax,
  type OnRestart,
  type QuotaDecreaseSettings,
  type ReadSettings,
  readSettings,
  type TimerPolicy,
} from './planning/settings.js';
export type * from './planning/snapshot.js';
export { totalOf } from './planning/total-of.js';
export type * from './planning/trigger.js';
export { possiblyEvictedCodes } from './possibly-evicted-codes.js';
export {
  type Delay,
  parseDelayDuration,
  parseDelaySeconds,
  sameLength,
} from './quantities/delay.js';
export { quantitiesOfText } from './quantities/quantities-text.js';
export { parseQuantity } from './quantities/quantity.js';
export { wantedQuantities } from './quantities/wanted-quantities.js';
export { textOfNumber, type WrittenScalar } from './quantities/written-scalar.js';
export { ancestors, chain, chainFromRoot, depth, isWithin, withAncestors } from './queue-path.js';
export { type RunStatus, runStates, waitingForApproval } from './run-states.js';
export {
  pageOfRunbook,
  type Runbook,
  type RunbookCode,
  runbookByCode,
  runbookOf,
  runbooks,
  withRunbook,
} from './runbooks.js';
export { inPlainWords, schemaFaults } from './schema-faults.js';
export { sentenceOf } from './sentences/sentence-of.js';
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
  fractionOfNumber,
  fractionText,
  partOf,
  percentText,
  productOfFractions,
  sumOfFractions,
  wholeFraction,
} from './shares/fraction.js';
export { cutShort, quoted, shown } from './shown.js';
export { findUnstorable, isStorableTime, mayBeUnstorable, whyNotStorable } from './storable.js';
export {
  ofApplication,
  ofEnforcement,
  ofPartition,
  ofQueue,
  queueOfSubject,
  type Subject,
} from './subject.js';
export { type Owners, usersByApplication } from './users-by-application.js';
export { yamlFaults } from './yaml-fault.js';
