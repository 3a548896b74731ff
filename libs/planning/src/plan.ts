import { InputError, type Plan, type Trigger } from '#contracts';
import { DecidingRules, decisionsOf, type RuleRun } from './deciding-rules.js';
import { type Fields, objectAt } from './fields.js';
import { type PolicyPlanner, planners } from './policies.js';
import type { Snapshot } from './snapshot/columns.js';
import { readSnapshot } from './snapshot/read.js';

/**
 * Plans what the trigger asks for, from the columns that `readSnapshot` gives. The same three inputs give the same plan, byte
 * for byte once it is written as JSON.
 *
 * @param trigger docs/reference/snapshot.md, "Trigger"
 * @param settings one flat object of the trigger's policy, or nothing (docs/reference/snapshot.md, "Settings")
 * @param rules get the deciding rules of the victims, in the order of their rank; not part of the plan.
 * @throws InputError for a trigger or settings that are wrong, with `trigger.<field>` or `settings.<name>` as the path, and
 *   for what the snapshot lacks of what this policy needs.
 */
export function plan(snapshot: Snapshot, trigger: unknown, settings?: unknown, rules?: DecidingRules): Plan {
  const given = objectAt(trigger, 'trigger');
  return planning(given).plan(snapshot, given, settings, rules);
}

/**
 * Plans one `{snapshot, trigger, settings}` of the contract, as a file or a line of a batch holds it.
 *
 * @param rules as of `plan`.
 * @throws InputError for anything that cannot be planned.
 */
export function planGiven(input: unknown, rules?: DecidingRules): Plan {
  const { snapshot, trigger, settings } = objectAt(input, 'input');
  // A wrong trigger is reported before a large snapshot is read.
  readTrigger(trigger);
  return plan(readSnapshot(snapshot), trigger, settings, rules);
}

/**
 * Reads a trigger (docs/reference/snapshot.md, "Trigger").
 *
 * @throws InputError with `trigger.<field>` as the path.
 */
export function readTrigger(input: unknown): Trigger {
  const given = objectAt(input, 'trigger');
  return planning(given).readTrigger(given);
}

const planning = ({ policy }: Fields): PolicyPlanner => planners.named(policy, 'trigger.policy');

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
