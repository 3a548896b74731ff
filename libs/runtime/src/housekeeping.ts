import { addPartitionsAhead } from '@curtail/event-store';
import type { Metrics } from '@curtail/platform';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { type Trim, tableSizes } from './trims.js';

const everyMs = 10 * 60 * 1000;
/** Longer than anything is delivered twice where events come from the log. */
const shortestInboxDays = 7;

/**
 * How long marks of handled events are kept, in days. Events still on Kafka may be delivered again, when a group lost its
 * place: so they outlive it.
 *
 * @param kafkaRetentionHours undefined: there is no Kafka.
 */
export function inboxDaysFor(kafkaRetentionHours: number | undefined): number {
  if (kafkaRetentionHours === undefined) return shortestInboxDays;
  return Math.max(shortestInboxDays, Math.ceil(kafkaRetentionHours / 24) + 1);
}

/** Adds the partitions of the coming months to the log, and deletes what is no longer needed, in small steps. */
export class Housekeeping {
  private timer: NodeJS.Timeout | undefined;
  private tidying: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly db: DataSource,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly trims: readonly Trim[],
    private readonly metrics: Pick<Metrics, 'rowsTrimmed' | 'tableIsLarge'>,
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

  /** One thing that fails keeps no other from being done. */
  async tidy(): Promise<void> {
    await this.attempt(() => addPartitionsAhead(this.db));
    for (const trim of this.trims) await this.attempt(() => this.trim(trim));
    await this.attempt(async () => {
      for (const { table, bytes } of await tableSizes(this.db)) this.metrics.tableIsLarge(table, bytes);
    });
  }

  private async trim({ table, step }: Trim): Promise<void> {
    for (let goOn = true; goOn && !this.stopping; ) {
      const { rows, more } = await step(this.db);
      this.metrics.rowsTrimmed(table, rows);
      goOn = more;
    }
  }

  private async attempt(work: () => Promise<unknown>): Promise<void> {
    if (this.stopping) return;
    try {
      await work();
    } catch (error) {
      this.log.warn({ err: error }, 'Housekeeping failed; will retry.');
    }
  }
}
