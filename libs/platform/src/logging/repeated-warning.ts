import type { Logger } from 'pino';

/**
 * Logs a warning at most once per interval: while a database is away every connection fails, many times a second. The
 * next line counts the suppressed warnings. A retried failure is logged with its reason and without a stack.
 */
export class RepeatedWarning {
  private loggedAt = Number.NEGATIVE_INFINITY;
  private suppressed = 0;

  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly message: string,
    private readonly pauseMs = 10_000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  warn(error: unknown, fields: Record<string, unknown> = {}): void {
    if (this.now() - this.loggedAt < this.pauseMs) {
      this.suppressed++;
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    this.log.warn(
      { ...fields, reason, ...(this.suppressed > 0 ? { suppressed: this.suppressed } : {}) },
      this.message,
    );
    this.loggedAt = this.now();
    this.suppressed = 0;
  }
}
