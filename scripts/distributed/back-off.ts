const firstMs = 500;
const longestMs = 10_000;
/** A process that ran this long is not failing at its start: the next pause is short again. */
const soundMs = 30_000;

/** The pauses before a process that ended by itself is started again: 0.5 s, doubled each time, 10 s at the most. */
export class BackOff {
  private failures = 0;

  /** @param ranMs how long it had run. */
  next(ranMs: number): number {
    if (ranMs >= soundMs) this.failures = 0;
    this.failures += 1;
    return Math.min(firstMs * 2 ** (this.failures - 1), longestMs);
  }
}
