import type { Logger } from 'pino';

/**
 * Says the same thing at most once in a while: a database that is away has every connection fail, many times a second. What
 * was left unsaid is counted in the next line.
 */
export class RepeatedWarning {
  private saidAt = Number.NEGATIVE_INFINITY;
  private unsaid = 0;

  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly message: string,
    private readonly pauseMs = 10_000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  say(error: unknown, fields: Record<string, unknown> = {}): void {
    if (this.now() - this.saidAt < this.pauseMs) {
      this.unsaid++;
      return;
    }
    this.log.warn(
      { ...fields, err: error, ...(this.unsaid > 0 ? { unsaid: this.unsaid } : {}) },
      this.message,
    );
    this.saidAt = this.now();
    this.unsaid = 0;
  }
}
