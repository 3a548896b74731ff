import { nodeLabelsSentence, type ReadDecreaseSettings, type ReadProtect, type Spared } from '#contracts';
import { numbersTo } from '../groups-of.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { nodeLabelsOfSnapshot } from '../snapshot/nodes.js';
import { protectionOf } from '../snapshot/protection.js';
import type { AmountTexts } from '../writing/texts.js';
import { whyNoCandidate } from './candidates.js';
import type { CareSpared } from './care/spared.js';
import type { Draft } from './draft.js';
import { keptByFloor } from './floor-texts.js';
import type { Target } from './target.js';

/**
 * One entry for every allocation of the queue and below it that is no victim, by queue, then id: docs/reference/snapshot.md,
 * "Plan".
 *
 * @param draft null where nothing was to be taken.
 * @param care null without victim care.
 */
export function sparedOf(
  snapshot: QueueSnapshot,
  queue: number,
  target: Target,
  protect: ReadProtect,
  draft: Draft | null,
  care: CareSpared | null,
  texts: AmountTexts,
  avoid: ReadonlySet<string> | null = null,
): Spared[] {
  const { queues, allocations } = snapshot;
  const protection = protectionOf(snapshot, protect);
  const whyOf = (allocation: number, isEnforcing: boolean): Omit<Spared, 'allocation'> => {
    const noCandidate = whyNoCandidate(snapshot, target, protection, allocation);
    if (noCandidate !== null) return { reason: noCandidate };
    if (isEnforcing) return { reason: 'enforcing' };
    const tooYoung = care?.tooYoung(allocation);
    if (tooYoung) return tooYoung;
    if (draft && avoid?.has(allocations.ids[allocation]!)) return { reason: 'eviction-failed' };
    const refused = draft && care?.refused(allocation, draft);
    if (refused && refused.reason !== 'guaranteed-floor') return refused;
    if (draft?.wasRefused(allocation)) {
      return { reason: 'guaranteed-floor', message: keptByFloor({ snapshot, draft, texts }, allocation) };
    }
    if (draft?.wasPastTarget(allocation)) return { reason: 'past-target' };
    if (draft?.wasGivenBack(allocation)) return { reason: 'given-back' };
    return { reason: 'not-needed' };
  };

  const leaves = [];
  for (let q = queue; q < queues.end[queue]!; q++) if (queues.end[q] === q + 1) leaves.push(q);
  leaves.sort((a, b) => (queues.paths[a]! < queues.paths[b]! ? -1 : 1));
  const spared: Spared[] = [];
  for (const leaf of leaves) {
    const isEnforcing = enforcingInChain(snapshot, leaf) >= 0;
    const ofLeaf = numbersTo(queues.firstAllocation[leaf + 1]!, queues.firstAllocation[leaf]!);
    ofLeaf.sort((a, b) => (allocations.ids[a]! < allocations.ids[b]! ? -1 : 1));
    for (const allocation of ofLeaf) {
      if (draft?.isTaken(allocation)) continue;
      spared.push({ allocation: allocations.ids[allocation]!, ...whyOf(allocation, isEnforcing) });
    }
  }
  return spared;
}

/** Why a decrease of the queue leads to no run, as a sentence; null if it does. docs/reference/policies/quota-decrease.md §8. */
export function whySkipped(
  snapshot: QueueSnapshot,
  queue: number,
  settings: ReadDecreaseSettings,
): string | null {
  const { queues } = snapshot;
  const path = queues.paths[queue]!;
  if (queues.dynamic[queue] === true)
    return `Queue ${path} is dynamic; a lowered quota leads to no victims there.`;
  const running = enforcingInChain(snapshot, queue);
  if (running === queue) return `An enforcement of queue ${path} already runs.`;
  if (running >= 0) return `An enforcement of ${queues.paths[running]} runs, above queue ${path}.`;
  const labels = nodeLabelsOfSnapshot(snapshot);
  if (labels.length > 0) return nodeLabelsSentence(labels);
  if (settings.quotaPreemptionEnabled === false) {
    return `Quota preemption is switched off; queue ${path} comes down as its work ends.`;
  }
  return null;
}

/** The lowest queue of the chain that has a run, -1 = none. */
function enforcingInChain(snapshot: QueueSnapshot, queue: number): number {
  let q = queue;
  while (q >= 0 && snapshot.queues.enforcing[q] === 0) q = snapshot.queues.parent[q]!;
  return q;
}
