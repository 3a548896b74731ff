import type { RepeatedWarning } from '#platform';

/**
 * Takes a sample at a steady interval, one at a time, the first at once. A failure is reported only if the next sample
 * fails too: right after topics were created, and while a server is replaced, one sample may fail in a healthy system.
 */
export class Sampler {
  private timer: NodeJS.Timeout | undefined;
  private sampling: Promise<void> | undefined;
  private hasFailed = false;

  constructor(
    private readonly everyMs: number,
    private readonly sample: () => Promise<void>,
    private readonly failed: RepeatedWarning,
  ) {}

  start(): void {
    this.begin();
    this.timer = setInterval(() => this.begin(), this.everyMs);
  }

  /** Resolves when the sample under way is done. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.sampling;
  }

  private begin(): void {
    this.sampling ??= this.take().finally(() => {
      this.sampling = undefined;
    });
  }

  private async take(): Promise<void> {
    try {
      await this.sample();
      this.hasFailed = false;
    } catch (error) {
      if (this.hasFailed) this.failed.warn(error);
      this.hasFailed = true;
    }
  }
}
