/**
 * A sleep for repeating work that others can wake. A wake while the work is running counts: the next sleep ends at once. Only one
 * caller may sleep at a time.
 */
export class Wakeable {
  private woken = false;
  private end: (() => void) | undefined;

  /** Whether there was a wake that has not ended a sleep yet. */
  get isWoken(): boolean {
    return this.woken;
  }

  wake(): void {
    this.woken = true;
    this.end?.();
  }

  /** Drops earlier wakes. Call it when the work begins: the work then covers them. */
  forget(): void {
    this.woken = false;
  }

  /**
   * @param ms the longest sleep.
   * @param signal ends the sleep as well.
   * @returns whether a wake has ended it.
   */
  async sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.woken && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          this.end = undefined;
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal?.addEventListener('abort', end);
        this.end = end;
      });
    }
    const { woken } = this;
    this.woken = false;
    return woken;
  }
}

/**
 * Does work that may take longer than its lease.
 *
 * @param renew renews the lease. Its errors are ignored: the next call retries, and the code that records the work checks the lease.
 */
export async function whileRenewing<T>(
  everyMs: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const renewal = setInterval(() => void renew().catch(() => {}), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
  }
}
