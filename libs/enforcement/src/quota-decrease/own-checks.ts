import type { OwnChecks } from '../run-policy.js';
import { beyondOwnerBudget, type OwnerFacts } from './owner-budgets.js';

/** Before an eviction: the owner budgets, if the plan has any. */
export const ownChecks: OwnChecks = {
  checkedBeside: () => [],
  awaitsOther: () => false,
  whyStays(state, victim, _live, { facts }) {
    return beyondOwnerBudget(state, victim, facts.own as OwnerFacts | undefined);
  },
};
