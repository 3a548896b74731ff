import type { ClusterSnapshot, Resources } from '@curtail/contracts';

/** How much there is in some queues themselves: what the size of a plan is measured by. */
export function usedIn(
  { allocations }: ClusterSnapshot,
  queues: ReadonlySet<string>,
): { queueAllocations: number; queueUsage: Resources } {
  const queueUsage: Record<string, number> = {};
  let queueAllocations = 0;
  for (const { queue, resources } of allocations) {
    if (!queues.has(queue)) continue;
    queueAllocations++;
    for (const [type, amount] of Object.entries(resources)) {
      queueUsage[type] = Math.min(Number.MAX_SAFE_INTEGER, (queueUsage[type] ?? 0) + amount);
    }
  }
  return { queueAllocations, queueUsage };
}
