import type { ReadProtect, Spared, SparedReason } from '@curtail/contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { protectionOf } from '../snapshot/protection.js';
import { whyNoCandidate } from './candidates.js';
import type { Draft } from './draft.js';
import { enforcingInChain } from './skipped.js';
import type { Target } from './target.js';

/**
 * One entry for every allocation of the queue and below it that is no victim, by queue, then id: docs/reference/snapshot.md,
 * "Plan".
 *
 * @param draft null where nothing was to be taken.
 */
export function sparedOf(
  snapshot: QueueSnapshot,
  queue: number,
  target: Target,
  protect: ReadProtect,
  draft: Draft | null,
): Spared[] {
  const { queues, allocations } = snapshot;
  const protection = protectionOf(snapshot, protect);
  const reasonOf = (allocation: number, isEnforcing: boolean): SparedReason => {
    const noCandidate = whyNoCandidate(snapshot, target, protection, allocation);
    if (noCandidate !== null) return noCandidate;
    if (isEnforcing) return 'enforcing';
    if (draft?.wasRefused(allocation)) return 'guaranteed-floor';
    if (draft?.wasPastTarget(allocation)) return 'past-target';
    if (draft?.wasGivenBack(allocation)) return 'given-back';
    return 'not-needed';
  };

  const leaves = [];
  for (let q = queue; q < queues.end[queue]!; q++) if (queues.end[q] === q + 1) leaves.push(q);
  leaves.sort((a, b) => (queues.paths[a]! < queues.paths[b]! ? -1 : 1));
  const spared: Spared[] = [];
  for (const leaf of leaves) {
    const isEnforcing = enforcingInChain(snapshot, leaf) >= 0;
    const ofLeaf = queues.byQueue.slice(queues.firstAllocation[leaf]!, queues.firstAllocation[leaf + 1]!);
    ofLeaf.sort((a, b) => (allocations.ids[a]! < allocations.ids[b]! ? -1 : 1));
    for (const allocation of ofLeaf) {
      if (draft?.isTaken(allocation)) continue;
      spared.push({ allocation: allocations.ids[allocation]!, reason: reasonOf(allocation, isEnforcing) });
    }
  }
  return spared;
}
