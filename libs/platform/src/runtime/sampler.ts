import type { RepeatedWarning } from '../logging/repeated-warning.js';

/** Takes a sample at a steady interval, one at a time, the first at once. What fails is reported, and tried again next time. */
export class Sampler {
  private timer: NodeJS.Timeout | undefined;
  private sampling: Promise<void> | undefined;

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
    this.sampling ??= this.sample()
      .catch((error) => this.failed.say(error))
      .finally(() => {
        this.sampling = undefined;
      });
  }
}
