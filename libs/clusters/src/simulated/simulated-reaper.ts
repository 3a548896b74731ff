import type { SimulatedCluster } from './simulated-cluster.js';

/** Kills of other processes do not wake this one; their rows wait at most this long. */
const LONGEST_SLEEP_MS = 60_000;
const AFTER_FAILURE_MS = 5_000;
/** Kills within this time share a sweep. */
const AFTER_KILL_MS = 100;

/**
 * Sweeps the rows of ended allocations, and starts pending work in their room. It sleeps until the next one is due, and a kill wakes
 * it. If it is stopped at any point, the next start sweeps the remaining rows; nothing else depends on it.
 */
export class SimulatedReaper {
  private timer: NodeJS.Timeout | undefined;
  private soon: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | undefined;
  private wokenWhileSweeping = false;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly cluster: SimulatedCluster,
    private readonly onFailure: (error: unknown) => void = () => undefined,
  ) {}

  start(): void {
    if (this.unsubscribe !== undefined) return;
    this.unsubscribe = this.cluster.onLeaving(() => this.wakeSoon());
    this.wake();
  }

  /** Resolves when no query of the reaper is in progress. */
  async stop(): Promise<void> {
    this.unsubscribe?.();
    this.unsubscribe = undefined;
    clearTimeout(this.timer);
    clearTimeout(this.soon);
    await this.sweeping;
  }

  private wakeSoon(): void {
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      this.wake();
    }, AFTER_KILL_MS).unref();
  }

  private wake(): void {
    clearTimeout(this.timer);
    if (this.sweeping !== undefined) {
      this.wokenWhileSweeping = true;
      return;
    }
    this.sweeping = this.sweep().then((sleepMs) => {
      this.sweeping = undefined;
      if (this.unsubscribe === undefined) return;
      if (this.wokenWhileSweeping) {
        this.wokenWhileSweeping = false;
        this.wake();
      } else {
        this.timer = setTimeout(() => this.wake(), sleepMs).unref();
      }
    });
  }

  /** Returns the time to sleep in milliseconds. */
  private async sweep(): Promise<number> {
    try {
      await this.cluster.reap();
      await this.cluster.startPending();
      const nextMs = await this.cluster.untilNextGone();
      if (nextMs === undefined) return LONGEST_SLEEP_MS;
      return Math.min(Math.max(nextMs, 1), LONGEST_SLEEP_MS);
    } catch (error) {
      this.onFailure(error);
      return AFTER_FAILURE_MS;
    }
  }
}
