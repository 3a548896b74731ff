import { keptBySnapshot } from '../kept-by-snapshot.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';

/** The largest amount of each type that a single allocation uses, by type. */
export const largestAmounts: (snapshot: QueueSnapshot) => Float64Array = keptBySnapshot(
  ({ types, allocations }) => {
    const { sizeCount, firstEntry, entryType, entryAmount } = allocations;
    const largest = new Float64Array(types.length);
    for (let e = 0; e < firstEntry[sizeCount]!; e++) {
      if (entryAmount[e]! > largest[entryType[e]!]!) largest[entryType[e]!] = entryAmount[e]!;
    }
    return largest;
  },
);
