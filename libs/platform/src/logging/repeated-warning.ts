import type { Logger } from 'pino';
import { counted } from '#contracts';

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

/**
 * Logs errors, at most so many in an interval: anyone who may write to a topic could otherwise fill the log with messages that cannot be
 * read. At the end of the interval one line counts the others.
 */
export class LimitedErrors {
  private interval: NodeJS.Timeout | undefined;
  private logged = 0;
  private suppressed = 0;

  constructor(
    private readonly log: Pick<Logger, 'error'>,
    private readonly limit = { most: 20, everyMs: 60_000 },
  ) {}

  error(fields: Record<string, unknown>, message: string): void {
    // Only the count of suppressed errors is lost if the process ends first.
    this.interval ??= setTimeout(() => this.endInterval(), this.limit.everyMs).unref();
    if (this.logged === this.limit.most) {
      this.suppressed++;
      return;
    }
    this.logged++;
    this.log.error(fields, message);
  }

  private endInterval(): void {
    if (this.suppressed > 0) {
      const count = counted(this.suppressed, 'more error');
      this.log.error(
        { suppressed: this.suppressed },
        `${count} like the last ${this.logged} in ${this.limit.everyMs / 1000} s; they were not logged one by one.`,
      );
    }
    this.interval = undefined;
    this.logged = 0;
    this.suppressed = 0;
  }
}
