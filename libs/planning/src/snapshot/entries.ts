import type { AllocationsRead } from './allocations-read.js';

/** Gives entries the final numbers of their types and puts those of one size in the order of the types. */
export function numberEntries(allocations: AllocationsRead, finalNumber: Int32Array): void {
  const { sizeCount, firstEntry, entryType, entryAmount } = allocations;
  for (let size = 0; size < sizeCount; size++) {
    const first = firstEntry[size]!;
    const end = firstEntry[size + 1]!;
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
