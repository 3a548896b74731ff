export {
  addCompared,
  madeAgain,
  noneCompared,
  type PlanOfLog,
  type PlanOrigin,
  type RemakeQuestion,
  type Replanned,
  recordedPlan,
  remade,
} from './made-again.js';
export { firstOf, type PartOfPlan, type PlanPart } from './plan-part.js';
