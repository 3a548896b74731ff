import { InputError, type Plan } from '#contracts';
import { DecidingRules, decisionsOf, type RuleRun } from './deciding-rules.js';
import { planGiven } from './plan.js';

/** A plan with its deciding rules, or what is wrong with the input: of errors only the message passes between threads. */
export type PlanOrFault = { plan: Plan; rules: RuleRun[] } | { fault: { path: string; message: string } };

/** `planGiven` for a thread. @throws what is no fault of the input. */
export function planOrFault(input: unknown): PlanOrFault {
  try {
    const rules = new DecidingRules();
    return { plan: planGiven(input, rules), rules: rules.runs };
  } catch (error) {
    if (error instanceof InputError) return { fault: { path: error.path, message: error.message } };
    throw error;
  }
}

/** The plan again. @throws InputError for what cannot be planned. */
export function planOf(planned: PlanOrFault): Plan {
  if ('fault' in planned) throw new InputError(planned.fault.path, planned.fault.message);
  return planned.plan;
}

/** The plan again, for display: each victim with the rule that decided and its facts. @throws InputError as `planOf`. */
export function decidedPlanOf(planned: PlanOrFault): Plan {
  const plan = planOf(planned);
  const decisions = 'plan' in planned ? decisionsOf(planned.rules) : undefined;
  return { ...plan, victims: plan.victims.map((victim) => ({ ...victim, ...decisions?.next().value })) };
}
