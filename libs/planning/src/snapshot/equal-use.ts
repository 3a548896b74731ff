import type { Snapshot } from './columns.js';

/**
 * Finds allocations that use exactly the same: clusters have few sizes, so what is worked out for one of a size (a phrase, an
 * object of amounts) serves all of it. A hash table in a typed array, because a plan has up to a hundred thousand victims.
 */
export class EqualUse {
  /** Allocation + 1, 0 = free. At most half full. */
  private readonly slots: Int32Array;

  constructor(
    private readonly snapshot: Snapshot,
    most: number,
  ) {
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(8, most * 2))));
  }

  /** The first allocation asked for that uses the same as this one; often itself. */
  firstLike(allocation: number): number {
    const mask = this.slots.length - 1;
    for (let slot = this.hash(allocation) & mask; ; slot = (slot + 1) & mask) {
      const known = this.slots[slot]! - 1;
      if (known < 0) {
        this.slots[slot] = allocation + 1;
        return allocation;
      }
      if (this.equal(known, allocation)) return known;
    }
  }

  private hash(allocation: number): number {
    const { firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    let hash = 0;
    for (let e = firstEntry[allocation]!; e < firstEntry[allocation + 1]!; e++) {
      const amount = entryAmount[e]!;
      hash = Math.imul(hash ^ entryType[e]!, 0x9e3779b1);
      hash = Math.imul(hash ^ (amount | 0) ^ Math.floor(amount / 2 ** 32), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  private equal(a: number, b: number): boolean {
    const { firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    const shift = firstEntry[b]! - firstEntry[a]!;
    if (firstEntry[b + 1]! - firstEntry[a + 1]! !== shift) return false;
    for (let e = firstEntry[a]!; e < firstEntry[a + 1]!; e++) {
      if (entryType[e] !== entryType[e + shift] || entryAmount[e] !== entryAmount[e + shift]) return false;
    }
    return true;
  }
}
