/**
 * The sleep of work that repeats, and that others wake. A wake while the work is not asleep counts: the next sleep ends at once. One
 * sleeps at a time.
 */
export class Wakeable {
  private woken = false;
  private end: (() => void) | undefined;

  /** Whether a wake has come that no sleep has ended with. */
  get isWoken(): boolean {
    return this.woken;
  }

  wake(): void {
    this.woken = true;
    this.end?.();
  }

  /** For work that begins: it sees whatever it has been woken for until now. */
  forget(): void {
    this.woken = false;
  }

  /**
   * @param ms at the most
   * @param signal ends it too
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
