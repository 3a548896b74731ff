export {
  addCompared,
  madeAgain,
  noneCompared,
  type PlanOfLog,
  type PlanOrigin,
  type RemakeQuestion,
  type Replanned,
  recordedPlanOf,
  remade,
} from './made-again.js';
export { firstOfPlan, type PartOfPlan, type PlanPart } from './plan-part.js';
