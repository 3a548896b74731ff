export {
  changedGuaranteed,
  changedProperties,
  changes,
  unenforcedDecreases,
  unlimited,
  valuesOf,
} from './changes.js';
export { evictedBy, victimsOf } from './evicted-by.js';
export {
  type AskedSnapshot,
  type ForecastSources,
  forecastRuns,
  type MakePlan,
  type PlanQuestion,
} from './forecast-runs.js';
export { foreseeInSnapshot, type SnapshotQuestion } from './foresee-in-snapshot.js';
export { outcomeOf, type Present, presentOf, type QueueUsage } from './outcome-of.js';
export {
  type ForecastSettings,
  type PartitionState,
  type RunInProgress,
  withConfiguredFreezes,
} from './present.js';
export { type ProposedQuota, typeWarnings, withAssumedDelay, withQuotas } from './proposed-quotas.js';
export type { ForecastScope } from './waits.js';
