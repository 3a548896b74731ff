import { Wakeable } from '#waiting';
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
  private readonly waker = new Wakeable();
  private readonly pause = new Wakeable();
  private running: { loop: Promise<void>; stopping: AbortController } | undefined;

  constructor(
    private readonly cluster: SimulatedCluster,
    private readonly onFailure: (error: unknown) => void = () => undefined,
  ) {}

  start(): void {
    if (this.running !== undefined) return;
    const stopping = new AbortController();
    this.running = { loop: this.run(stopping.signal), stopping };
  }

  /** Resolves when no query of the reaper is in progress. */
  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    running?.stopping.abort();
    await running?.loop;
  }

  private async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.cluster.onLeaving(() => this.waker.wake());
    while (!signal.aborted) {
      this.waker.forget();
      const isWoken = await this.waker.sleep(await this.sweep(), signal);
      if (isWoken) await this.pause.sleep(AFTER_KILL_MS, signal);
    }
    unsubscribe();
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
