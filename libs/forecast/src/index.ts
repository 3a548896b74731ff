export {
  changedProperties,
  changes,
  guaranteedChanges,
  quotaValuesOf,
  unenforcedDecreases,
  unlimited,
} from './changes.js';
export {
  type AskedSnapshot,
  type ForecastSources,
  forecastRuns,
  type MakePlan,
  type PlanQuestion,
} from './forecast-runs.js';
export { foreseeInSnapshot } from './foresee-in-snapshot.js';
export { affectedBy, evictedBy, outcomeOf, presentOf } from './outcome-of.js';
export { type PresentPartition, withConfiguredFreezes } from './present.js';
export { type ProposedQuota, typeWarnings, withAssumedDelay, withProposedQuotas } from './proposed-quotas.js';
