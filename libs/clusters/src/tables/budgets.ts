import type { ClusterSnapshot, DisruptionBudget, SnapshotAllocation } from '#contracts';

/** The disruption budgets that allocations name, each once, by id. */
export function namedBudgets(allocations: readonly SnapshotAllocation[]): string[] {
  const named = new Set<string>();
  for (const { budgets } of allocations) for (const id of budgets ?? []) named.add(id);
  return [...named].sort();
}

/**
 * The budgets of a snapshot: those that its allocations name; nothing if they name none. One that the cluster does not know allows
 * nothing: its report may still be under way, and an eviction cannot be undone.
 */
export function budgetsOf(
  named: readonly string[],
  known: readonly DisruptionBudget[],
): Pick<ClusterSnapshot, 'budgets'> {
  if (named.length === 0) return {};
  const allowed = new Map(known.map((budget) => [budget.id, budget.allowed]));
  return { budgets: named.map((id) => ({ id, allowed: allowed.get(id) ?? 0 })) };
}
