import type { EnforcementOutcome, Plan } from '#contracts';
import { amountOf, isNothing, positiveDifference } from '../amounts.js';
import { missing, type Tally } from './tally.js';

/**
 * The outcome of a plan with a target: `satisfied` if the victims freed the promised amounts, or the queue was found
 * down to its quota in the remaining types; a plan with the outcome `best-effort` is satisfied only by its whole
 * target. Otherwise: `best-effort` if anything was freed, `failed` if nothing was freed and a kill failed, `impossible`
 * if nothing was freed and no kill failed.
 */
export function outcomeOfTarget(plan: Plan, tally: Tally): EnforcementOutcome {
  const promised =
    plan.outcome === 'satisfied' ? positiveDifference(plan.target, plan.shortfall) : plan.target;
  if (isNothing(missing(tally, promised))) return 'satisfied';
  if (Object.keys(plan.target).some((type) => amountOf(tally.freed, type) > 0)) return 'best-effort';
  return tally.counts.failed > 0 ? 'failed' : 'impossible';
}
