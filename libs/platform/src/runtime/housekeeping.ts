import { deleteExpiredSnapshots } from '@curtail/event-store';
import { trimAttempts, trimInbox } from '@curtail/messaging';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';

const everyMs = 10 * 60 * 1000;
/** Longer than anything is delivered twice where events come from the log. */
const shortestInboxDays = 7;
const marksAtOnce = 5000;
const snapshotsAtOnce = 20;

/**
 * How long marks of handled events are kept, in days. What Kafka still has may be delivered again, when a group lost its
 * place: so they outlive it.
 */
export function inboxDaysFor(kafkaRetentionHours: number): number {
  return Math.max(shortestInboxDays, Math.ceil(kafkaRetentionHours / 24) + 1);
}

/** Forgets what nobody needs any more, in small steps: marks of handled events, and inputs of plans whose time is over. */
export class Housekeeping {
  private timer: NodeJS.Timeout | undefined;
  private tidying: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly db: DataSource,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly inboxDays: number = shortestInboxDays,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.tidying ??= this.tidy().finally(() => {
        this.tidying = undefined;
      });
    }, everyMs);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.tidying;
  }

  async tidy(): Promise<void> {
    try {
      await this.untilFewer(marksAtOnce, () => trimInbox(this.db, this.inboxDays, marksAtOnce));
      await this.untilFewer(marksAtOnce, () => trimAttempts(this.db, this.inboxDays, marksAtOnce));
      await this.untilFewer(snapshotsAtOnce, () => deleteExpiredSnapshots(this.db, snapshotsAtOnce));
    } catch (error) {
      this.log.warn({ err: error }, 'Tidying up failed; it is done again later.');
    }
  }

  private async untilFewer(limit: number, step: () => Promise<number>): Promise<void> {
    while (!this.stopping && (await step()) >= limit);
  }
}
