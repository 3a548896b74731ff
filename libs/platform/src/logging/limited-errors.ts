import type { Logger } from 'pino';
import { counted } from '#contracts';

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
