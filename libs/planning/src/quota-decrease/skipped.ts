import { nodeLabelsSentence, type ReadSettings } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { nodeLabelsOf } from '../snapshot/node-labels.js';

/** Why a decrease of the queue leads to no run, as a sentence; null if it does. docs/reference/policies/quota-decrease.md §8. */
export function whySkipped(snapshot: QueueSnapshot, queue: number, settings: ReadSettings): string | null {
  const { queues } = snapshot;
  const path = queues.paths[queue]!;
  if (queues.dynamic[queue] === true)
    return `Queue ${path} is dynamic; a lowered quota leads to no victims there.`;
  const running = enforcingInChain(snapshot, queue);
  if (running === queue) return `An enforcement of queue ${path} already runs.`;
  if (running >= 0) return `An enforcement of ${queues.paths[running]} runs, above queue ${path}.`;
  const labels = nodeLabelsOf(snapshot);
  if (labels.length > 0) return nodeLabelsSentence(labels);
  if (settings.quotaPreemptionEnabled === false) {
    return `Quota preemption is switched off; queue ${path} comes down as its work ends.`;
  }
  return null;
}

/** The lowest queue of the chain that has a run, -1 = none. */
export function enforcingInChain(snapshot: QueueSnapshot, queue: number): number {
  let q = queue;
  while (q >= 0 && snapshot.queues.enforcing[q] === 0) q = snapshot.queues.parent[q]!;
  return q;
}
