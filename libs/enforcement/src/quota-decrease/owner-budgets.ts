import { counted, type Notice, type OwnerBudget, usersByApplication } from '#contracts';
import { assert, ofVictim, type PlannedRun, type PlannedVictim, type RunState } from '../run/run-state.js';

/** Those of the plan, which the planner has checked. */
export function ownerBudgetsOf({ planned }: Pick<RunState, 'planned'>): readonly OwnerBudget[] {
  return (planned?.settings.ownerBudgets ?? []) as readonly OwnerBudget[];
}

/** The victims of the owner of a victim in other runs, as they are now. */
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
  const owners = ownersOfVictim(state.planned!, victim);
  for (const [entry, budget] of budgets.entries()) {
    const others = facts?.ofOthers[entry];
    const name = ownerNames(state)(budget.per, victim);
    assert(others !== undefined, `the victims of ${budget.per} ${name} are not counted`);
    const has = others + (state.going.get(owners[entry]!) ?? 0) - (state.openOrders.has(victim.rank) ? 1 : 0);
    if (has < budget.victims) continue;
    const kind = { user: 'User', application: 'Application', queue: 'Queue' }[budget.per];
    const message =
      `${kind} ${name === '' ? 'without a name' : name} (ownerBudgets[${entry}]) ` +
      `has ${has} of at most ${counted(budget.victims, 'victim')} in ${budget.seconds} s.`;
    return { code: 'owner-budget', message, about: ofVictim(victim) };
  }
  return undefined;
}

/** Of a plan; kept, since they are asked for each victim. */
interface PlanOwners {
  users: ReadonlyMap<string, string>;
  /** The owners of each entry, each with a number of its own among those of all entries. */
  numbers: ReadonlyMap<string, number>[];
}
const known = new WeakMap<PlannedRun, PlanOwners>();

function planOwners(planned: PlannedRun): PlanOwners {
  const before = known.get(planned);
  if (before) return before;
  const users = usersByApplication(planned.owners);
  let next = 0;
  const numbers = ownerBudgetsOf({ planned }).map(({ per }) => {
    const names = new Set(planned.plan.victims.map((victim) => nameOf(users, per, victim)));
    return new Map([...names].map((name) => [name, next++]));
  });
  const owners = { users, numbers };
  known.set(planned, owners);
  return owners;
}

function nameOf(
  users: PlanOwners['users'],
  per: OwnerBudget['per'],
  { application, queue }: PlannedVictim,
): string {
  return { user: users.get(application) ?? '', application, queue }[per];
}

/** The owner of a victim; '' is the user without a name. */
export function ownerNames({ planned }: Pick<RunState, 'planned'>) {
  assert(planned, 'there is no plan');
  const { users } = planOwners(planned);
  return (per: OwnerBudget['per'], victim: PlannedVictim): string => nameOf(users, per, victim);
}

/** The numbers of the owners of a victim, one for each owner budget, by which its run counts those that go (`RunState.going`). */
export function ownersOfVictim(planned: PlannedRun, victim: PlannedVictim): readonly number[] {
  const budgets = ownerBudgetsOf({ planned });
  if (budgets.length === 0) return [];
  const { users, numbers } = planOwners(planned);
  return budgets.map(({ per }, entry) => numbers[entry]!.get(nameOf(users, per, victim))!);
}
