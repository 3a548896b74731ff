import { type ClusterSnapshot, type Resources, totalOf } from '@curtail/contracts';

/** How much there is in some queues themselves: what the size of a plan is measured by. */
export function usedIn(
  { allocations }: ClusterSnapshot,
  queues: ReadonlySet<string>,
): { queueAllocations: number; queueUsage: Resources } {
  const those = allocations.filter(({ queue }) => queues.has(queue));
  return { queueAllocations: those.length, queueUsage: totalOf(those) };
}
