import type { AllocationsRead } from './allocations.js';

/** Gives entries the final numbers of their types and puts those of one allocation in the order of the types. */
export function numberEntries(allocations: AllocationsRead, finalNumber: Int32Array): void {
  const { count, firstEntry, entryType, entryAmount } = allocations;
  for (let a = 0; a < count; a++) {
    const first = firstEntry[a]!;
    const end = firstEntry[a + 1]!;
    for (let e = first; e < end; e++) {
      const type = finalNumber[entryType[e]!]!;
      const amount = entryAmount[e]!;
      let place = e;
      for (; place > first && entryType[place - 1]! > type; place--) {
        entryType[place] = entryType[place - 1]!;
        entryAmount[place] = entryAmount[place - 1]!;
      }
      entryType[place] = type;
      entryAmount[place] = amount;
    }
  }
}

/** Groups allocations by queue: see `QueueColumns.firstAllocation`. */
export function groupByQueue(
  queue: Int32Array,
  queueCount: number,
): { firstAllocation: Int32Array; byQueue: Int32Array } {
  const firstAllocation = new Int32Array(queueCount + 1);
  for (let a = 0; a < queue.length; a++) firstAllocation[queue[a]! + 1]!++;
  for (let q = 0; q < queueCount; q++) firstAllocation[q + 1]! += firstAllocation[q]!;
  const next = firstAllocation.slice();
  const byQueue = new Int32Array(queue.length);
  for (let a = 0; a < queue.length; a++) byQueue[next[queue[a]!]!++] = a;
  return { firstAllocation, byQueue };
}
