import type { SimulatedCluster } from './simulated-cluster.js';

/** Kills of other processes do not wake this one; their rows wait no longer than this. */
const LONGEST_SLEEP_MS = 60_000;
const AFTER_FAILURE_MS = 5_000;
/** Kills that come close together share a sweep. */
const AFTER_KILL_MS = 100;

/**
 * Sweeps the rows of allocations that are gone, and lets what waits have their room. It sleeps until the next one is due and is woken by a kill. Stopped at any
 * point it leaves rows behind that the next start sweeps; nothing else depends on it.
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

  /** Resolves when no query of the reaper is under way any more. */
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

  /** Gives the time to sleep in milliseconds. */
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
