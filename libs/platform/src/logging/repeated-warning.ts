import type { Logger } from 'pino';

/**
 * Says the same thing at most once in a while: a database that is away has every connection fail, many times a second. What
 * was left out is counted in the next line. A retried failure is logged with its reason and without a stack.
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
    const reason = error instanceof Error ? error.message : String(error);
    this.log.warn({ ...fields, reason, ...(this.unsaid > 0 ? { unsaid: this.unsaid } : {}) }, this.message);
    this.saidAt = this.now();
    this.unsaid = 0;
  }
}
