import { type ClusterSnapshot, type Resources, totalOf } from '@curtail/contracts';

/** The number of items in some queues themselves, which measures the size of a plan. */
export function usedIn(
  { allocations }: ClusterSnapshot,
  queues: ReadonlySet<string>,
): { queueAllocations: number; queueUsage: Resources } {
  const those = allocations.filter(({ queue }) => queues.has(queue));
  return { queueAllocations: those.length, queueUsage: totalOf(those) };
}
