import type { Logger } from 'pino';

/**
 * Logs errors, at most so many in an interval: anyone who may write to a topic could otherwise fill the log with messages that cannot be
 * read. The first line of a later interval counts those that were left out.
 */
export class LimitedErrors {
  private beganAt = Number.NEGATIVE_INFINITY;
  private logged = 0;
  private suppressed = 0;

  constructor(
    private readonly log: Pick<Logger, 'error'>,
    private readonly limit = { most: 20, everyMs: 60_000 },
    private readonly now: () => number = () => performance.now(),
  ) {}

  error(fields: Record<string, unknown>, message: string): void {
    if (this.now() - this.beganAt >= this.limit.everyMs) {
      this.beganAt = this.now();
      this.logged = 0;
    }
    if (this.logged === this.limit.most) {
      this.suppressed++;
      return;
    }
    this.logged++;
    this.log.error({ ...fields, ...(this.suppressed > 0 ? { suppressed: this.suppressed } : {}) }, message);
    this.suppressed = 0;
  }
}
