import type { DataSource } from 'typeorm';
import { type Cursor, isBefore } from '#event-store';
import { placeOfTables, readModelConsumer } from '../read-model/statements.js';

/** Pages read again half a second after the last event. Tables that follow until then are in time. */
const inTimeMs = 450;
const pauseMs = { shortest: 250, longest: 5000 };

/** Notices when the tables of the read model follow the log later than pages read them again. */
export class LateTables {
  private lastSeen: Cursor | undefined;
  private timer: NodeJS.Timeout | undefined;
  private pauseMs = 0;

  /** @param onFollowed called when tables that were late have followed. */
  constructor(
    private readonly database: DataSource,
    private readonly onFollowed: () => void,
  ) {}

  /** Whether the tables are known to be behind the events that pages have seen. */
  get areLate(): boolean {
    return this.pauseMs > 0;
  }

  /** @param last the newest event that pages have seen. */
  expect(last: Cursor): void {
    this.lastSeen = last;
    this.timer ??= this.checkIn(inTimeMs);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pauseMs = 0;
  }

  private checkIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.check(), ms);
  }

  private async check(): Promise<void> {
    const { timer, lastSeen } = this;
    // A failed read is repeated.
    const areBehind = await this.areBehind(lastSeen!).catch(() => true);
    if (this.timer !== timer) return;
    if (areBehind) {
      this.pauseMs = Math.min(pauseMs.longest, Math.max(pauseMs.shortest, 2 * this.pauseMs));
      this.timer = this.checkIn(this.pauseMs);
    } else if (this.lastSeen !== lastSeen) {
      this.timer = this.checkIn(inTimeMs);
    } else {
      const { areLate } = this;
      this.stop();
      if (areLate) this.onFollowed();
    }
  }

  private async areBehind(lastSeen: Cursor): Promise<boolean> {
    const [cursor] = await placeOfTables(this.database, readModelConsumer);
    return cursor !== undefined && isBefore(cursor, lastSeen);
  }
}
