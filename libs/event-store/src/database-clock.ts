import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';

/** The time by the clock that all processes share. */
export interface Clock {
  now(): Date;
}

const everyMs = 10_000;

/** The time of the database at this moment. A decision takes it inside its transaction, behind the locks that it waits for. */
export async function databaseTime(db: Tx | DataSource): Promise<Date> {
  const rows: { now: Date }[] = await db.query("SELECT date_trunc('milliseconds', clock_timestamp()) AS now");
  return rows[0]!.now;
}

/**
 * The clock of the database, for what has to know the time without asking: when to wake up, how long to wait. It is never ahead:
 * the answer of the database was true before it arrived. Between two answers time goes on by a clock of the process that no one
 * sets; the process's own wall clock plays no part.
 *
 *     asked ──answer──▶ known ──every 10 s──▶ asked
 *
 * A database that does not answer changes nothing: the time goes on from its last answer.
 */
export class DatabaseClock implements Clock {
  /** The time of the last answer, and when it came, both in milliseconds. */
  private known: { ms: number; at: number } | undefined;
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly db: DataSource) {}

  /** Resolves when the time is known. @throws if the database cannot be asked. */
  static async start(db: DataSource): Promise<DatabaseClock> {
    const clock = new DatabaseClock(db);
    await clock.sync();
    clock.timer = setInterval(() => void clock.sync().catch(() => {}), everyMs).unref();
    return clock;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  now(): Date {
    const { ms, at } = this.known!;
    return new Date(Math.floor(ms + performance.now() - at));
  }

  /** By how much the wall clock of this process is ahead; negative = behind. To tell people, not to decide by. */
  get ownSkewMs(): number {
    return Date.now() - this.now().getTime();
  }

  /** Asks the database now. */
  async sync(): Promise<void> {
    const now = await databaseTime(this.db);
    this.known = { ms: now.getTime(), at: performance.now() };
  }
}
