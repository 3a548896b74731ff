/** Values numbered in their order, equal ones with the same number, so that ranks stay small however far apart the values are. */
export interface DenseNumbers {
  /** By place in the given values, from 0 without gaps. */
  readonly number: Int32Array;
  readonly count: number;
}

/** @param values finite numbers. */
export function denseNumbers(values: Float64Array): DenseNumbers {
  const distinct = new DistinctValues();
  const number = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) number[i] = distinct.placeOf(values[i]!);
  const sorted = Float64Array.from(distinct.values).sort();
  const final = new Int32Array(sorted.length);
  for (let i = 0; i < sorted.length; i++) final[distinct.placeOf(sorted[i]!)] = i;
  for (let i = 0; i < number.length; i++) number[i] = final[number[i]!]!;
  return { number, count: sorted.length };
}

/** Values in the order in which they were met. A hash table: a `Map` of numbers takes several times as long. */
class DistinctValues {
  readonly values: number[] = [];
  /** Place + 1, 0 = free; at most half full. */
  private slots = new Int32Array(64);
  private readonly value = new Float64Array(1);
  private readonly words = new Int32Array(this.value.buffer);
  private lastValue = Number.NaN;
  private lastPlace = 0;

  placeOf(value: number): number {
    // Neighbours are often equal.
    if (value !== this.lastValue) {
      this.lastValue = value;
      this.lastPlace = this.find(value);
    }
    return this.lastPlace;
  }

  private find(value: number): number {
    const slot = this.slotOf(value);
    if (this.slots[slot] !== 0) return this.slots[slot]! - 1;
    this.slots[slot] = this.values.push(value);
    if (this.values.length * 2 > this.slots.length) this.grow();
    return this.values.length - 1;
  }

  private slotOf(value: number): number {
    // 0 and -0 are one value, and differ in their bits.
    this.value[0] = value + 0;
    let hash = Math.imul(this.words[0]! ^ Math.imul(this.words[1]!, 0x85ebca6b), 0x9e3779b1);
    hash ^= hash >>> 15;
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    while (this.slots[slot] !== 0 && this.values[this.slots[slot]! - 1] !== value) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 2);
    for (let place = 0; place < this.values.length; place++)
      this.slots[this.slotOf(this.values[place]!)] = place + 1;
  }
}
