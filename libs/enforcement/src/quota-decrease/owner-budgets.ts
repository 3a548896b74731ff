import { counted, type Notice, type OwnerBudget, usersByApplication } from '@curtail/contracts';
import {
  assert,
  hasOutcome,
  ofVictim,
  outcomeOfVictim,
  type PlannedRun,
  type PlannedVictim,
  type RunState,
} from '../run/run-state.js';

/** Those of the plan, which the planner has checked. */
export function ownerBudgetsOf({ planned }: Pick<RunState, 'planned'>): readonly OwnerBudget[] {
  return (planned?.settings.ownerBudgets ?? []) as readonly OwnerBudget[];
}

/** An owner budget of a victim, and the victims of its owner in other runs, as they are now. */
export interface OwnerFacts {
  /** By entry of the setting `ownerBudgets`: evicted within its window, or planned by a run that this one gives way to. */
  ofOthers: readonly number[];
}

/**
 * Whether the owner of a victim would have more victims than an owner budget of the plan allows: victims of other runs may have been
 * added since the plan was made, or were not known to it. docs/reference/policies/victim-care.md §6
 */
export function beyondOwnerBudget(
  state: RunState,
  victim: PlannedVictim,
  facts: OwnerFacts | undefined,
): Notice | undefined {
  const budgets = ownerBudgetsOf(state);
  if (budgets.length === 0) return undefined;
  const nameOf = ownerNames(state);
  for (const [entry, budget] of budgets.entries()) {
    const name = nameOf(budget.per, victim);
    const others = facts?.ofOthers[entry];
    assert(others !== undefined, `the victims of ${budget.per} ${name} are not counted`);
    const has = others + goneOf(state, victim, (other) => nameOf(budget.per, other) === name);
    if (has < budget.victims) continue;
    const kind = { user: 'User', application: 'Application', queue: 'Queue' }[budget.per];
    const message =
      `${kind} ${name === '' ? 'without a name' : name} (ownerBudgets[${entry}]) ` +
      `has ${has} of at most ${counted(budget.victims, 'victim')} in ${budget.seconds} s.`;
    return { code: 'owner-budget', message, about: ofVictim(victim) };
  }
  return undefined;
}

/** Kept, since it is asked for each victim. */
const usersOf = new WeakMap<PlannedRun, ReadonlyMap<string, string>>();

/** The owner of a victim; '' is the user without a name. */
export function ownerNames({ planned }: Pick<RunState, 'planned'>) {
  assert(planned, 'there is no plan');
  const users = usersOf.get(planned) ?? usersByApplication(planned.owners);
  usersOf.set(planned, users);
  return (per: OwnerBudget['per'], { application, queue }: PlannedVictim): string =>
    ({ user: users.get(application) ?? '', application, queue })[per];
}

/** The victims of this run, beside one, that were evicted, may have been, or are about to be. */
function goneOf(
  state: RunState,
  victim: PlannedVictim,
  isOfOwner: (other: PlannedVictim) => boolean,
): number {
  const victims = state.planned?.plan.victims ?? [];
  return victims.filter((other) => {
    if (other.rank === victim.rank) return false;
    const isOut = hasOutcome(state, other.rank)
      ? outcomeOfVictim(state, other.rank) === 'evicted'
      : state.openOrders.has(other.rank);
    return isOut && isOfOwner(other);
  }).length;
}
