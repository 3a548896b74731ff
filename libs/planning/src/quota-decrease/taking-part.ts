import type { QueueSnapshot } from '../snapshot/by-queue.js';

/**
 * 1 for the trigger's queue and the queues below it that give something: docs/reference/policies/quota-decrease.md §7 step 1. A queue
 * that is left out takes all queues below it along.
 */
export function queuesTakingPart(snapshot: QueueSnapshot, queue: number): Uint8Array {
  const { queues } = snapshot;
  const takesPart = new Uint8Array(queues.count);
  takesPart[queue] = 1;
  for (let q = queue + 1; q < queues.end[queue]!; q++) {
    if (takesPart[queues.parent[q]!] === 1 && queues.enforcing[q] === 0 && uses(snapshot, q))
      takesPart[q] = 1;
  }
  return takesPart;
}

/** Whether the queue uses anything that is not in flight. */
function uses(snapshot: QueueSnapshot, queue: number): boolean {
  const { usage, inFlight } = snapshot.queues;
  const width = snapshot.types.length;
  for (let cell = queue * width; cell < (queue + 1) * width; cell++) {
    if (usage[cell]! > inFlight[cell]!) return true;
  }
  return false;
}
