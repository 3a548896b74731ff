import { setTimeout as delay } from 'node:timers/promises';
import { pauseAfter } from '#contracts';

export interface ClusterPollOptions {
  /**
   * Reads the cluster once.
   *
   * @returns whether it is known as it was when this began. A throw is reported, and means that it is not.
   */
  look: () => Promise<boolean>;
  /** Milliseconds of a monotonic clock; default: that of the process. */
  elapsed?: (() => number) | undefined;
  /** From the beginning of one look to that of the next; default 5 s. */
  everyMs?: number | undefined;
  /** A look failed. Not called while it stops. */
  onFailure: (error: Error) => void;
}

const usualEveryMs = 5000;
/** The view is not current if the last look began longer ago, in looks. */
const staleLooks = 3;
const retryMs = { first: 1000, longest: 10_000 };

/** Reads a cluster again and again that reports no changes. A look that fails confirms nothing that was known before. */
export class ClusterPoll {
  private readonly listeners = new Set<() => void>();
  private readonly stopping = new AbortController();
  private readonly elapsed: () => number;
  private readonly everyMs: number;
  private running: Promise<void> | undefined;
  /** When the last look began that succeeded. */
  private knownAt: number | undefined;
  /** Those who wait for the next look, with the time from which on it must have begun. */
  private awaiting: { since: number; resolve: (is: boolean) => void }[] = [];

  constructor(private readonly options: ClusterPollOptions) {
    this.elapsed = options.elapsed ?? (() => performance.now());
    this.everyMs = options.everyMs ?? usualEveryMs;
  }

  /** Resolves when the cluster is known. Tries until then. */
  async start(onChange: () => void): Promise<void> {
    this.listeners.add(onChange);
    for (let failures = 0; this.knownAt === undefined && !this.stopping.signal.aborted; ) {
      if (await this.tryToLook()) break;
      await this.pause(pauseAfter(++failures, retryMs));
    }
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.listeners.clear();
    await this.running;
    for (const { resolve } of this.awaiting.splice(0)) resolve(false);
  }

  listen(listener: () => void): void {
    this.listeners.add(listener);
  }

  forget(listener: () => void): void {
    this.listeners.delete(listener);
  }

  /** How long ago the state was current that is known, in milliseconds. */
  ageMs(): number {
    return this.knownAt === undefined ? Number.POSITIVE_INFINITY : this.elapsed() - this.knownAt;
  }

  get isSynced(): boolean {
    return this.ageMs() < staleLooks * this.everyMs;
  }

  /** Whether the next look that begins from now on succeeds: the view is then as old as that look took. */
  nextLook(): Promise<boolean> {
    if (this.stopping.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => this.awaiting.push({ since: this.elapsed(), resolve }));
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let began = this.knownAt ?? this.elapsed();
    while (!signal.aborted) {
      await this.pause(began + this.everyMs - this.elapsed());
      if (signal.aborted) break;
      began = this.elapsed();
      const isFine = await this.tryToLook();
      for (const { since, resolve } of this.awaiting.filter((one) => one.since <= began)) {
        resolve(isFine && since <= began);
      }
      this.awaiting = this.awaiting.filter((one) => one.since > began);
      for (const listener of this.listeners) listener();
    }
  }

  private async tryToLook(): Promise<boolean> {
    const began = this.elapsed();
    try {
      if (!(await this.options.look())) return false;
      this.knownAt = began;
      return true;
    } catch (error) {
      if (!this.stopping.signal.aborted) this.options.onFailure(error as Error);
      return false;
    }
  }

  private async pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
