import type { Victim } from '@curtail/contracts';
import type { BudgetColumns } from './budget-columns.js';
import type { CarefulTaking } from './careful-taking.js';

/** Adds to the victims of a plan the fields `unit` and `overBudget`: docs/reference/policies/victim-care.md §10. */
export function withCare(listed: Victim[], victims: Int32Array, taking: CarefulTaking): Victim[] {
  const { budgets } = taking.tests;
  const isOver = budgets?.columns.ids.some((_, budget) => budgets.allowance(budget) < 0) === true;
  if (!isOver && taking.units.size === 0) return listed;
  const inBudget = new Map<number, number>();
  const firstRank = new Map<number, number>();
  return listed.map((victim, i) => {
    const taken = taking.unitOf(victims[i]!);
    const over = isOver ? exceeded(budgets!.columns, victims[i]!, inBudget) : [];
    if (over.length === 0 && taken === undefined) return victim;
    const { reason, ...rest } = victim;
    if (taken === undefined) return { ...rest, overBudget: over, reason };
    const { application } = taken.unit;
    if (!firstRank.has(application)) firstRank.set(application, victim.rank);
    return {
      ...rest,
      unit: firstRank.get(application)!,
      ...(over.length > 0 && { overBudget: over }),
      reason,
    };
  });
}

/** Counts a victim in its budgets, and gives those that it exceeds, by id. */
function exceeded(
  { first, list, allowed, ids }: BudgetColumns,
  victim: number,
  inBudget: Map<number, number>,
): string[] {
  const over: string[] = [];
  for (let i = first[victim]!; i < first[victim + 1]!; i++) {
    const budget = list[i]!;
    const count = (inBudget.get(budget) ?? 0) + 1;
    inBudget.set(budget, count);
    if (count > allowed[budget]!) over.push(ids[budget]!);
  }
  return over;
}
