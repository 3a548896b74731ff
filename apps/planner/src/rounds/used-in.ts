import type { ClusterSnapshot, Resources, SnapshotAllocation } from '@curtail/contracts';

/** How much there is in some queues themselves: what the size of a plan is measured by. */
export function usedIn(
  { allocations }: ClusterSnapshot,
  queues: ReadonlySet<string>,
): { queueAllocations: number; queueUsage: Resources } {
  const those = allocations.filter(({ queue }) => queues.has(queue));
  return { queueAllocations: those.length, queueUsage: totalOf(those) };
}

/** What allocations hold together, up to the largest amount that a plan can hold. */
export function totalOf(allocations: readonly Pick<SnapshotAllocation, 'resources'>[]): Resources {
  const total: Record<string, number> = {};
  for (const { resources } of allocations) {
    for (const [type, amount] of Object.entries(resources)) {
      total[type] = Math.min(Number.MAX_SAFE_INTEGER, (total[type] ?? 0) + amount);
    }
  }
  return total;
}
