/**
 * The counter of an agent: it grows with everything that is sent, and over restarts. It begins with the clock, in microseconds, which no
 * agent can count up to at the rate at which it sends.
 */
export class Sequence {
  private last: number;

  /** @param atLeast what an agent before this one may have come to. */
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
