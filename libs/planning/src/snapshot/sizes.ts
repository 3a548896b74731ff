/**
 * The sizes of allocations: what each uses, as entries of a type and an amount. Clusters have far fewer sizes than allocations, so
 * equal ones are kept once: tables of them stay in the processor's caches, and what is worked out for a size serves all of it.
 */
export class Sizes {
  count = 0;
  /** The entries of size `s` are those from `firstEntry[s]` below `firstEntry[s + 1]`. */
  firstEntry = new Int32Array(512);
  entryType = new Int32Array(1024);
  entryAmount = new Float64Array(1024);
  /** Size + 1, 0 = free. A hash table that is at most half full. */
  private slots = new Int32Array(1024);
  private length = 0;
  private last = -1;

  /** One more entry of the size that `close` ends. */
  add(type: number, amount: number): void {
    if (this.length === this.entryType.length) {
      this.entryType = copied(this.entryType, new Int32Array(2 * this.length));
      this.entryAmount = copied(this.entryAmount, new Float64Array(2 * this.length));
    }
    this.entryType[this.length] = type;
    this.entryAmount[this.length] = amount;
    this.length++;
  }

  /** The number of the size whose entries were added last; from 0 without gaps, and the same for the same entries in the same order. */
  close(): number {
    const first = this.firstEntry[this.count]!;
    // Neighbours are mostly of one size: to compare it costs a fraction of looking it up.
    if (this.last < 0 || !this.equal(this.last, first, this.length)) this.last = this.find(first);
    this.length = this.firstEntry[this.count]!;
    return this.last;
  }

  private find(first: number): number {
    if (this.count + 1 === this.firstEntry.length) this.grow();
    const slot = this.slotOf(first, this.length);
    if (this.slots[slot] !== 0) return this.slots[slot]! - 1;
    this.slots[slot] = ++this.count;
    this.firstEntry[this.count] = this.length;
    return this.count - 1;
  }

  /** Where the table has the size with these entries, or has room for it. */
  private slotOf(first: number, end: number): number {
    const mask = this.slots.length - 1;
    let slot = this.hash(first, end) & mask;
    while (this.slots[slot] !== 0 && !this.equal(this.slots[slot]! - 1, first, end)) slot = (slot + 1) & mask;
    return slot;
  }

  private hash(first: number, end: number): number {
    let hash = 0;
    for (let e = first; e < end; e++) {
      const amount = this.entryAmount[e]!;
      hash = Math.imul(hash ^ this.entryType[e]!, 0x9e3779b1);
      hash = Math.imul(hash ^ (amount | 0) ^ Math.floor(amount / 2 ** 32), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  private equal(known: number, first: number, end: number): boolean {
    const start = this.firstEntry[known]!;
    const shift = first - start;
    if (this.firstEntry[known + 1]! - start !== end - first) return false;
    for (let e = first; e < end; e++) {
      if (this.entryType[e] !== this.entryType[e - shift]) return false;
      if (this.entryAmount[e] !== this.entryAmount[e - shift]) return false;
    }
    return true;
  }

  private grow(): void {
    this.firstEntry = copied(this.firstEntry, new Int32Array(2 * this.firstEntry.length));
    this.slots = new Int32Array(2 * this.firstEntry.length);
    for (let size = 0; size < this.count; size++) {
      this.slots[this.slotOf(this.firstEntry[size]!, this.firstEntry[size + 1]!)] = size + 1;
    }
  }
}

function copied<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
