import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { continueLog } from '#event-store';

const everyMs = 10_000;

/**
 * Continues the log after its database has moved to another PostgreSQL cluster: at the start, and under a process that
 * keeps running while the server behind its address is exchanged.
 */
export class LogKeeper {
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> | undefined;

  private constructor(
    private readonly db: DataSource,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Resolves when new events can be read. @throws if the database is unreachable. */
  static async start(
    db: DataSource,
    log: Pick<Logger, 'warn'>,
    options: { everyMs?: number } = {},
  ): Promise<LogKeeper> {
    const keeper = new LogKeeper(db, log);
    await keeper.check();
    keeper.timer = setInterval(() => {
      // Other parts report a database that is away; this one retries.
      keeper.checking ??= keeper
        .check()
        .catch(() => {})
        .finally(() => {
          keeper.checking = undefined;
        });
    }, options.everyMs ?? everyMs).unref();
    return keeper;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  private async check(): Promise<void> {
    const move = await continueLog(this.db);
    if (!move) return;
    this.log.warn(
      { position: move.position },
      `The database was restored into another PostgreSQL cluster; the log continues after position ${move.position}. ` +
        'If it was restored from an older backup, see docs/how-to/back-up-and-restore.md.',
    );
  }
}
