import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { Target } from './target.js';

/** How far the types of each size are from those of the target: 0 = exactly those, else 1 + number of types outside it. */
export function typeDistances(snapshot: QueueSnapshot, target: Target): Int32Array {
  const { sizeCount, firstEntry, entryType } = snapshot.allocations;
  const distance = new Int32Array(sizeCount);
  for (let size = 0; size < sizeCount; size++) {
    let inside = 0;
    let outside = 0;
    for (let e = firstEntry[size]!; e < firstEntry[size + 1]!; e++) {
      if (target.placeOfType[entryType[e]!]! >= 0) inside++;
      else outside++;
    }
    distance[size] = outside === 0 && inside === target.count ? 0 : 1 + outside;
  }
  return distance;
}
