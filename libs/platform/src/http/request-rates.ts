const windowMs = 60_000;
/** The maximum number of callers that are counted; beyond it the least recent ones are dropped. */
const mostCallers = 20_000;

interface Counts {
  window: number;
  current: number;
  previous: number;
}

/**
 * Counts requests per caller over the last minute in constant time and memory: the count of the previous window is
 * weighted by its overlap with the last minute. A refused request does not count, so that waiting always helps: the libraries
 * for rate limits count refused requests too, or in fixed windows.
 */
export class RequestRates {
  /** In the order of the last request. */
  private readonly callers = new Map<string, Counts>();

  constructor(private readonly nowMs: () => number = Date.now) {}

  /** Counts one request, or returns the seconds until the next one is accepted if `limit` per minute is reached. */
  take(caller: string, limit: number): { waitSeconds: number } | undefined {
    const now = this.nowMs();
    const counts = this.countsOf(caller, Math.floor(now / windowMs));
    const passedMs = now % windowMs;
    const reaching = counts.previous * (1 - passedMs / windowMs);
    if (reaching + counts.current + 1 > limit) {
      // Either the weight of the previous window falls far enough within this one, or this window has to end.
      const tooMuch = reaching + counts.current + 1 - limit;
      const fallsMs = counts.current < limit ? (tooMuch / counts.previous) * windowMs : windowMs - passedMs;
      return { waitSeconds: Math.max(1, Math.ceil(fallsMs / 1000)) };
    }
    counts.current++;
    return undefined;
  }

  private countsOf(caller: string, window: number): Counts {
    const known = this.callers.get(caller);
    const counts = known ?? { window, current: 0, previous: 0 };
    if (counts.window !== window) {
      counts.previous = counts.window === window - 1 ? counts.current : 0;
      counts.current = 0;
      counts.window = window;
    }
    if (known) this.callers.delete(caller);
    else if (this.callers.size >= mostCallers) this.forgetQuietest();
    this.callers.set(caller, counts);
    return counts;
  }

  private forgetQuietest(): void {
    const first = this.callers.keys().next();
    if (!first.done) this.callers.delete(first.value);
  }
}
