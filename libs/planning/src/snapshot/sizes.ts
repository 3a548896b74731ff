/**
 * The sizes of allocations: what each uses, as entries of a type and an amount. Clusters have far fewer sizes than allocations, so
 * equal ones are kept once: tables of them stay in the processor's caches, and what is worked out for a size serves all of it.
 */
export class Sizes {
  count = 0;
  /** The entries of size `s` are those from `firstEntry[s]` below `firstEntry[s + 1]`. */
  readonly firstEntry: Int32Array;
  entryType: Int32Array;
  entryAmount: Float64Array;
  /** Size + 1, 0 = free. A hash table that is at most half full. */
  private readonly slots: Int32Array;
  private length = 0;
  private last = -1;

  /** @param most how many sizes there may be. */
  constructor(most: number) {
    this.firstEntry = new Int32Array(most + 1);
    this.entryType = new Int32Array(1024);
    this.entryAmount = new Float64Array(1024);
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(8, most * 2))));
  }

  /** One more entry of the size that `close` ends. */
  add(type: number, amount: number): void {
    if (this.length === this.entryType.length) this.grow();
    this.entryType[this.length] = type;
    this.entryAmount[this.length] = amount;
    this.length++;
  }

  /** The number of the size whose entries were added last; from 0 without gaps, and the same for the same entries in the same order. */
  close(): number {
    const first = this.firstEntry[this.count]!;
    // Neighbours are mostly of one size: to compare it costs a fraction of looking it up.
    if (this.last >= 0 && this.equal(this.last, first)) {
      this.length = first;
      return this.last;
    }
    this.last = this.find(first);
    return this.last;
  }

  private find(first: number): number {
    const mask = this.slots.length - 1;
    for (let slot = this.hash(first) & mask; ; slot = (slot + 1) & mask) {
      const known = this.slots[slot]! - 1;
      if (known < 0) {
        this.slots[slot] = this.count + 1;
        this.firstEntry[this.count + 1] = this.length;
        return this.count++;
      }
      if (this.equal(known, first)) {
        this.length = first;
        return known;
      }
    }
  }

  private hash(first: number): number {
    let hash = 0;
    for (let e = first; e < this.length; e++) {
      const amount = this.entryAmount[e]!;
      hash = Math.imul(hash ^ this.entryType[e]!, 0x9e3779b1);
      hash = Math.imul(hash ^ (amount | 0) ^ Math.floor(amount / 2 ** 32), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  private equal(known: number, first: number): boolean {
    const start = this.firstEntry[known]!;
    const shift = first - start;
    if (this.firstEntry[known + 1]! - start !== this.length - first) return false;
    for (let e = first; e < this.length; e++) {
      if (this.entryType[e] !== this.entryType[e - shift]) return false;
      if (this.entryAmount[e] !== this.entryAmount[e - shift]) return false;
    }
    return true;
  }

  private grow(): void {
    const type = new Int32Array(this.length * 2);
    const amount = new Float64Array(this.length * 2);
    type.set(this.entryType);
    amount.set(this.entryAmount);
    this.entryType = type;
    this.entryAmount = amount;
  }
}
