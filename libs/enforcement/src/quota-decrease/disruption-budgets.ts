import type { Notice, SnapshotAllocation } from '#contracts';
import { assert, ofVictim, type PlannedVictim, type RunState } from '../run/run-state.js';

/** The disruption budgets of the victims that are checked together, as they are now. */
export interface BudgetFacts {
  /** How many more allocations each allows to go: evictions that were requested before are taken off. */
  left: ReadonlyMap<string, number>;
  /** The budgets of each victim, by rank. */
  of: ReadonlyMap<number, readonly string[]>;
}

/** Whether the plan of a run asks disruption budgets. */
export function respectsBudgets({ planned }: Pick<RunState, 'planned'>): boolean {
  return (planned?.settings.disruptionBudgets ?? 'respect') !== 'ignore';
}

/**
 * Whether a disruption budget of a victim has nothing left for it. The plan has decided about the budgets in `overBudget`: those are not
 * asked. docs/reference/policies/victim-care.md §5 and §10
 */
export function beyondDisruptionBudget(
  state: RunState,
  victim: PlannedVictim,
  live: SnapshotAllocation,
  facts: BudgetFacts | undefined,
): Notice | undefined {
  if (!live.budgets || live.budgets.length === 0 || !respectsBudgets(state)) return undefined;
  for (const id of [...live.budgets].sort()) {
    if (victim.overBudget?.includes(id)) continue;
    const allowed = facts?.left.get(id);
    assert(facts && allowed !== undefined, `what the disruption budget ${id} allows is not known`);
    const left = Math.max(0, allowed - orderedIn(state, victim, facts, id));
    if (left > 0) continue;
    const message = `Disruption budget ${id} allows no more evictions.`;
    return { code: 'disruption-budget', message, about: ofVictim(victim) };
  }
  return undefined;
}

/** Of the victims that are checked together, those in a budget that are ordered before this one. */
function orderedIn({ openOrders }: RunState, victim: PlannedVictim, { of }: BudgetFacts, id: string): number {
  let ordered = 0;
  for (const [rank, budgets] of of) {
    if (rank !== victim.rank && openOrders.has(rank) && budgets.includes(id)) ordered += 1;
  }
  return ordered;
}
