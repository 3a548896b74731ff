import { type OwnChecks, outcomeOfTarget, type RunPolicy } from '../run-policy.js';
import { type BudgetFacts, beyondDisruptionBudget } from './disruption-budgets.js';
import { breaksGang, type GangOfVictim, unitBroken, units } from './gangs.js';
import { beyondOwnerBudget, type OwnerFacts, ownersOfVictim } from './owner-budgets.js';

/** What only these checks need of the cluster and of other runs, as it is now. */
export interface CareFacts {
  /** With owner budgets. */
  owner?: OwnerFacts;
  /** Where a victim has disruption budgets. */
  budgets?: BudgetFacts;
  /** Of the application of the victim, if it is one. */
  gang?: GangOfVictim;
}

/** Before an eviction: the gang, the disruption budgets, the owner budgets. docs/reference/policies/victim-care.md §4 */
const ownChecks: OwnChecks = {
  checkedBeside: () => [],
  awaitsOther: () => false,
  units,
  countedIn: ownersOfVictim,
  whyStays(state, victim, live, { facts }) {
    const { owner, budgets, gang }: CareFacts = facts.own ?? {};
    return (
      unitBroken(state, victim) ??
      breaksGang(state, victim, live, gang) ??
      beyondDisruptionBudget(state, victim, live, budgets) ??
      beyondOwnerBudget(state, victim, owner)
    );
  },
};

/** docs/reference/policies/quota-decrease.md */
export const quotaDecrease: RunPolicy = {
  name: 'quota-decrease',
  isRound: false,
  notifiesInOneRound: false,
  killsWithGrace: true,
  ownChecks,
  outcomeOf: outcomeOfTarget,
};
