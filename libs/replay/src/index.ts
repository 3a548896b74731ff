export {
  addCompared,
  madeAgain,
  noneCompared,
  type PlanOrigin,
  type RecordedPlan,
  type RemakeQuestion,
  type Replanned,
  recordedPlan,
  remade,
} from './made-again.js';
export { firstOf, type PartOfPlan, type PlanPart } from './plan-part.js';
