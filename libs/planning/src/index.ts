export { type DecidedCandidate, DecidingRules, decisionsOf, type RuleRun } from './deciding-rules.js';
export { planAndObserveFairShare } from './fair-share/plan.js';
export {
  decidedPlanOf,
  type PlanOrFault,
  plan,
  planGiven,
  planOf,
  planOrFault,
  readTrigger,
} from './plan.js';
export { planner, planners } from './policies.js';
export { AllocationsBefore } from './snapshot/allocations-before.js';
export { RUNNING, type Snapshot } from './snapshot/columns.js';
export { readSnapshot } from './snapshot/read.js';
