import type { Victim } from '#contracts';
import type { BudgetColumns } from './budget-columns.js';
import type { CarefulTaking } from './careful-taking.js';

/** Adds to the listed victims of a plan, in place, the fields `unit` and `overBudget`: docs/reference/policies/victim-care.md §10. */
export function withCare(listed: Victim[], victims: Int32Array, taking: CarefulTaking): Victim[] {
  const { budgets } = taking.tests;
  const isOver = budgets !== null && budgets.passed().length > 0;
  if (!isOver && taking.units.size === 0) return listed;
  const inBudget = isOver ? new Int32Array(budgets.columns.ids.length) : null;
  const firstRank = new Map<number, number>();
  for (let i = 0; i < listed.length; i++) {
    const taken = taking.unitOf(victims[i]!);
    const over = inBudget === null ? none : exceeded(budgets!.columns, victims[i]!, inBudget);
    if (over.length === 0 && taken === undefined) continue;
    let unit: number | undefined;
    if (taken !== undefined) {
      const { application } = taken.unit;
      unit = firstRank.get(application) ?? listed[i]!.rank;
      firstRank.set(application, unit);
    }
    listed[i] = victimOf(listed[i]!, unit, over);
  }
  return listed;
}

/** Key by key: of objects that are spread into others, each costs as much as ten victims. */
function victimOf(of: Victim, unit: number | undefined, overBudget: string[]): Victim {
  const victim: { -readonly [key in keyof Victim]?: Victim[key] } = { allocation: of.allocation };
  if (of.uid !== undefined) victim.uid = of.uid;
  victim.application = of.application;
  victim.queue = of.queue;
  if (of.node !== undefined) victim.node = of.node;
  victim.resources = of.resources;
  victim.rank = of.rank;
  if (unit !== undefined) victim.unit = unit;
  if (overBudget.length > 0) victim.overBudget = overBudget;
  victim.reason = of.reason;
  return victim as Victim;
}

const none: string[] = [];

/** Counts a victim in its budgets, and gives those that it exceeds, by id. */
function exceeded(
  { first, list, allowed, ids }: BudgetColumns,
  victim: number,
  inBudget: Int32Array,
): string[] {
  let over = none;
  for (let i = first[victim]!; i < first[victim + 1]!; i++) {
    const budget = list[i]!;
    inBudget[budget]!++;
    if (inBudget[budget]! > allowed[budget]!) over = [...over, ids[budget]!];
  }
  return over;
}
