/** A container that was asked to end, and is not known to have ended. */
interface Signalled {
  forceAt: number;
  isForced: boolean;
  /** When the next signal may be sent. */
  nextAt: number;
  pauseMs: number;
}

export type Signal = 'GRACEFUL_SHUTDOWN' | 'FORCEFUL_SHUTDOWN';

/**
 * A signal for a container that has just ended holds the dispatcher of its node for five seconds, so signals are repeated rarely: a container
 * that was not started yet needs one again.
 */
export const pauseMs = { first: 30_000, longest: 300_000 };

/** The signals of all containers that were asked to end. Pure: times are milliseconds of a monotonic clock. */
export class ContainerSignals {
  private readonly sent = new Map<string, Signalled>();

  get size(): number {
    return this.sent.size;
  }

  has(container: string): boolean {
    return this.sent.has(container);
  }

  /** The first signal for a container: with no notice it is the forceful one. */
  firstFor(graceSeconds: number): Signal {
    return graceSeconds > 0 ? 'GRACEFUL_SHUTDOWN' : 'FORCEFUL_SHUTDOWN';
  }

  /** Notes that the first signal was answered. */
  note(container: string, graceSeconds: number, now: number): void {
    this.sent.set(container, {
      forceAt: now + graceSeconds * 1000,
      isForced: graceSeconds <= 0,
      nextAt: now + pauseMs.first,
      pauseMs: pauseMs.first,
    });
  }

  /** The signals that are due, for containers that a fresh list still has. */
  due(running: ReadonlySet<string>, now: number): { container: string; signal: Signal }[] {
    const due: { container: string; signal: Signal }[] = [];
    for (const [container, one] of this.sent) {
      if (!running.has(container)) continue;
      const isTimeUp = now >= one.forceAt;
      if (isTimeUp && !one.isForced) due.push({ container, signal: 'FORCEFUL_SHUTDOWN' });
      else if (now >= one.nextAt) {
        due.push({ container, signal: isTimeUp ? 'FORCEFUL_SHUTDOWN' : 'GRACEFUL_SHUTDOWN' });
      }
    }
    return due;
  }

  /** Notes a further signal. */
  repeated(container: string, signal: Signal, now: number): void {
    const one = this.sent.get(container);
    if (one === undefined) return;
    const next =
      one.isForced || signal === 'GRACEFUL_SHUTDOWN'
        ? Math.min(one.pauseMs * 2, pauseMs.longest)
        : pauseMs.first;
    this.sent.set(container, {
      ...one,
      isForced: one.isForced || signal === 'FORCEFUL_SHUTDOWN',
      pauseMs: next,
      nextAt: now + next,
    });
  }

  /** Forgets those that have ended. */
  keepOnly(mayRun: (container: string) => boolean): void {
    for (const container of [...this.sent.keys()]) if (!mayRun(container)) this.sent.delete(container);
  }
}
