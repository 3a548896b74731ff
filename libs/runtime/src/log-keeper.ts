import { continueLog } from '@curtail/event-store';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';

const everyMs = 10_000;

/**
 * Has the log go on when its database has come into another PostgreSQL cluster: at the start, and also under a process that keeps
 * running while the server behind its address is exchanged.
 */
export class LogKeeper {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  private constructor(
    private readonly db: DataSource,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Resolves when new events can be read. @throws if the database cannot be asked. */
  static async start(
    db: DataSource,
    log: Pick<Logger, 'warn'>,
    options: { everyMs?: number } = {},
  ): Promise<LogKeeper> {
    const keeper = new LogKeeper(db, log);
    await keeper.look();
    keeper.timer = setInterval(() => {
      // A database that is away is told of by everybody else; it is asked again.
      keeper.looking ??= keeper
        .look()
        .catch(() => {})
        .finally(() => {
          keeper.looking = undefined;
        });
    }, options.everyMs ?? everyMs).unref();
    return keeper;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    const move = await continueLog(this.db);
    if (!move) return;
    this.log.warn(
      `The database was restored into another PostgreSQL cluster; the log goes on behind position ${move.position}. ` +
        'If it was restored from an older backup, see docs/how-to/back-up-and-restore.md.',
    );
  }
}
