/**
 * The counter of an agent: it grows with every message, and across restarts. It begins with the clock, in microseconds, which grows
 * faster than any agent sends.
 */
export class Sequence {
  private last: number;

  /** @param atLeast the greatest sequence that an earlier agent may have sent. */
  constructor(now: number, atLeast = 0) {
    this.last = Math.max(now * 1000, atLeast);
  }

  next(): number {
    this.last += 1;
    return this.last;
  }

  get current(): number {
    return this.last;
  }
}
