import type { DataSource } from 'typeorm';
import { databaseTime } from './database-statements.js';

/** The time by the clock that all processes share. */
export interface Clock {
  now(): Date;
}

const everyMs = 10_000;

/**
 * The clock of the database, for code that needs the time without a query: when to wake up, how long to wait. It is
 * never ahead: the answer of the database was true before it arrived. Between two answers it advances by a monotonic
 * clock of the process; the wall clock of the process plays no part.
 *
 *
 *     queried ──answer──▶ known ──every 10 s──▶ queried
 *
 * If the database does not answer, the time advances from its last answer.
 */
export class DatabaseClock implements Clock {
  /** The time of the last answer, and when it came, both in milliseconds. */
  private known: { ms: number; at: number } | undefined;
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly db: DataSource) {}

  /** Resolves when the time is known. @throws if the database is unreachable. */
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

  /** The offset of the wall clock of this process; negative = behind. For display, not for decisions. */
  get ownSkewMs(): number {
    return Date.now() - this.now().getTime();
  }

  /** Queries the database now. */
  async sync(): Promise<void> {
    const now = await databaseTime(this.db);
    this.known = { ms: now.getTime(), at: performance.now() };
  }
}

/** SQL: a time as RFC 3339, in UTC. */
export const AT = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
