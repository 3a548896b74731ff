/** A pseudorandom generator with reproducible numbers for a seed (mulberry32). Not for secrets. */
export class SeededRandom {
  constructor(private state: number) {}

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor((this.next() / 2 ** 32) * bound);
  }

  uuid(): string {
    const hex = [1, 2, 3, 4].map(() => this.next().toString(16).padStart(8, '0')).join('');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `a${hex.slice(17, 20)}`,
      hex.slice(20),
    ].join('-');
  }
}
