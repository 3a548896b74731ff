import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { addPartitionsAhead, tableSizes } from '#event-store';
import type { Metrics } from '#platform';
import { type Trim, watchedTables } from './trims.js';

const everyMs = 10 * 60 * 1000;

/** Adds the partitions of the coming months to the log, and deletes expired rows, in small steps. */
export class Housekeeping {
  private timer: NodeJS.Timeout | undefined;
  private tidying: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly db: DataSource,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly trims: readonly Trim[],
    private readonly metrics: Metrics['tables'],
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

  /** A failure in one step does not prevent the others. */
  async tidy(): Promise<void> {
    await this.attempt(() => addPartitionsAhead(this.db));
    for (const trim of this.trims) await this.attempt(() => this.trim(trim));
    await this.attempt(async () => {
      for (const { table, bytes } of await tableSizes(this.db, watchedTables))
        this.metrics.isLarge(table, bytes);
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
      this.log.warn({ err: error }, 'Housekeeping failed; retrying.');
    }
  }
}
