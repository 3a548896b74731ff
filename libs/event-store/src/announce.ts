import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import type { Tx } from './database.js';

/** The name of the server's notifications of commits; `WakeListener` listens to them. */
export const wakeChannel = 'curtail_events';

/**
 * Notifies all listeners of new events, once the transaction is committed; without a transaction at once.
 *
 * A separate statement sends it after the commit. A NOTIFY inside the transaction would make all commits of the
 * database wait for one another, each for the flush of the one before: five times as long with eight writers. A crash
 * in between may lose an announcement, which is only a hint: its receivers also check by themselves at intervals.
 */
export function announce({ queryRunner, dataSource }: Tx, topics: Iterable<string>): void {
  const announcer = announcerOf(dataSource);
  if (queryRunner?.isTransactionActive) announcer.afterCommit(queryRunner, topics);
  else announcer.announce(topics);
}

/** The pause between two announcements: every consumer checks the log for each of them. */
const pauseMs = 10;

const announcers = new WeakMap<DataSource, Announcer>();

function announcerOf(database: DataSource): Announcer {
  const known = announcers.get(database);
  if (known) return known;
  const announcer = new Announcer(database);
  announcers.set(database, announcer);
  return announcer;
}

/** One statement at a time; topics announced meanwhile share the next. */
class Announcer {
  private readonly uncommitted = new WeakMap<QueryRunner, Set<string>>();
  private readonly unannounced = new Set<string>();
  private announcing = false;

  constructor(private readonly database: DataSource) {
    database.subscribers.push({
      afterTransactionCommit: ({ queryRunner }) => {
        // The end of a part of a transaction is not the end of it.
        if (queryRunner.isTransactionActive) return;
        this.announce(this.uncommitted.get(queryRunner) ?? []);
        this.uncommitted.delete(queryRunner);
      },
      afterTransactionRollback: ({ queryRunner }) => {
        if (!queryRunner.isTransactionActive) this.uncommitted.delete(queryRunner);
      },
    });
  }

  afterCommit(transaction: QueryRunner, topics: Iterable<string>): void {
    const all = this.uncommitted.get(transaction) ?? new Set();
    for (const topic of topics) all.add(topic);
    this.uncommitted.set(transaction, all);
  }

  announce(topics: Iterable<string>): void {
    for (const topic of topics) this.unannounced.add(topic);
    if (!this.announcing && this.unannounced.size > 0) void this.announceAll();
  }

  private async announceAll(): Promise<void> {
    this.announcing = true;
    try {
      while (this.unannounced.size > 0) {
        const topics = [...this.unannounced].join(',');
        this.unannounced.clear();
        await this.database.query('SELECT pg_notify($1, $2)', [wakeChannel, topics]);
        await delay(pauseMs);
      }
    } catch {
      // The database is unavailable or was closed: a listener that reconnects checks everything.
    } finally {
      this.announcing = false;
    }
  }
}
