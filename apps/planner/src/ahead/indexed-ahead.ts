import type { ClusterSnapshot } from '#contracts';
import { AllocationsBefore, readSnapshot } from '#planning';

/** By the first of the allocations; dropped with it. */
const ahead = new WeakMap<object, AllocationsBefore>();

/**
 * Reads a snapshot for the plan of a later one, which reads only those allocations that have changed until then.
 *
 * @throws InputError as `readSnapshot`.
 */
export function indexAhead(snapshot: ClusterSnapshot): void {
  const [first] = snapshot.allocations;
  if (!first) return;
  const before = ahead.get(first) ?? new AllocationsBefore();
  readSnapshot(snapshot, before);
  ahead.set(first, before);
}

/** What was read ahead for this snapshot. */
export function indexedAhead({ allocations: [first] }: ClusterSnapshot): AllocationsBefore | undefined {
  return first && ahead.get(first);
}
