import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { Target } from './target.js';

/** How far the types of each candidate are from those of the target: `OrderKeys.distance`. */
export function typeDistances(snapshot: QueueSnapshot, target: Target, candidates: Int32Array): Int32Array {
  const { count, size, firstEntry, entryType } = snapshot.allocations;
  const distance = new Int32Array(count);
  for (const a of candidates) {
    let inside = 0;
    let outside = 0;
    for (let e = firstEntry[size[a]!]!, end = firstEntry[size[a]! + 1]!; e < end; e++) {
      if (target.placeOfType[entryType[e]!]! >= 0) inside++;
      else outside++;
    }
    distance[a] = outside === 0 && inside === target.count ? 0 : 1 + outside;
  }
  return distance;
}
