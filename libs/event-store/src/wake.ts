import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { askedWhenSilent, type Tx } from './database.js';
import type { PreparingClient } from './pg-patches/preparing-client.js';
import { withSession } from './session-settings.js';

/** The name of the server's notifications of commits; `WakeListener` listens to them. */
export const wakeChannel = 'curtail_events';

/** Announced beside the topics, unless all events are `unawaited`. */
export const awaited = 'awaited';

const notify = 'SELECT pg_notify($1, $2)';

/**
 * Notifies all listeners of new events: of those of a transaction once it is committed, of others after the statements that were issued
 * before.
 *
 * A separate statement notifies them, in the same write as the commit. A NOTIFY inside the transaction would make all commits of the
 * database wait for one another, each for the flush of the one before: five times as long with eight writers. A crash
 * in between may lose an announcement, which is only a hint: its receivers also check by themselves at intervals.
 */
export function announce({ queryRunner, dataSource }: Tx, topics: Iterable<string>): void {
  if (!queryRunner) announcerOf(dataSource).announce(topics);
  else if (queryRunner.isTransactionActive) announceAfterCommit(connectionOf(queryRunner), topics);
  else queryRunner.query(notify, [wakeChannel, [...topics].join(',')]).catch(() => {});
}

/** TypeORM does not declare it. */
const connectionOf = (queryRunner: QueryRunner) =>
  (queryRunner as unknown as { databaseConnection: PreparingClient }).databaseConnection;

/** By connection: the topics that are announced after its commit. */
const uncommitted = new WeakMap<PreparingClient, Set<string>>();

function announceAfterCommit(connection: PreparingClient, topics: Iterable<string>): void {
  const known = connection.afterCommit ? uncommitted.get(connection) : undefined;
  const all = known ?? new Set<string>();
  for (const topic of topics) all.add(topic);
  uncommitted.set(connection, all);
  connection.afterCommit = () => ({ text: notify, values: [wakeChannel, [...all].join(',')] });
}

/** The pause between two announcements of an `Announcer`: every consumer checks the log for each of them. */
const pauseMs = 10;

const announcers = new WeakMap<DataSource, Announcer>();

function announcerOf(database: DataSource): Announcer {
  const known = announcers.get(database);
  if (known) return known;
  const announcer = new Announcer(database);
  announcers.set(database, announcer);
  return announcer;
}

/** Announces outside of a connection, with one statement at a time; topics announced meanwhile share the next. */
class Announcer {
  private readonly unannounced = new Set<string>();
  private announcing = false;

  constructor(private readonly database: DataSource) {}

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
        await this.database.query(notify, [wakeChannel, topics]);
        await delay(pauseMs);
      }
    } catch {
      // The database is unavailable or was closed: a listener that reconnects checks everything.
    } finally {
      this.announcing = false;
    }
  }
}

/**
 * Listens for commits. `onWake` may be called without reason, late, or not at all while the server is away: it only
 * reduces latency, and its users also check by themselves at intervals.
 */
export class WakeListener {
  private readonly wakes = new EventEmitter().setMaxListeners(0);
  private client: pg.Client | undefined;
  private stopped = false;
  private retry: NodeJS.Timeout | undefined;
  private listens = false;

  constructor(
    private readonly url: string,
    private readonly onError: (error: Error) => void = () => {},
  ) {}

  async start(): Promise<void> {
    const client = new pg.Client({
      connectionString: withSession(this.url),
      application_name: 'curtail-wake',
      // A listener may be added and removed before the first statement is answered.
      pipeline: true,
      ...askedWhenSilent,
    });
    client.on('notification', ({ payload }) => this.wakes.emit('wake', payload ? payload.split(',') : []));
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client));
    try {
      await client.connect();
    } catch (error) {
      this.lost(client, error as Error);
      return;
    }
    // Stopped meanwhile, or cut again before the statement ended.
    if (this.stopped || this.retry) {
      await client.end();
      return;
    }
    this.client = client;
    this.listens = false;
    await this.listenIfWanted();
  }

  /**
   * @param listener called with the topics that have new events; none = check everything.
   * @returns a function that ends the subscription.
   */
  onWake(listener: (topics: string[]) => void): () => void {
    this.wakes.on('wake', listener);
    void this.listenIfWanted();
    return () => {
      this.wakes.off('wake', listener);
      void this.listenIfWanted();
    };
  }

  /**
   * Without listeners here the server does not notify this process of every commit, which would cost both more than the
   * statement.
   */
  private async listenIfWanted(): Promise<void> {
    const { client } = this;
    const isWanted = this.wakes.listenerCount('wake') > 0;
    if (!client || isWanted === this.listens) return;
    this.listens = isWanted;
    try {
      await client.query(`${isWanted ? 'LISTEN' : 'UNLISTEN'} ${wakeChannel}`);
    } catch (error) {
      if (this.client === client) this.lost(client, error as Error);
      return;
    }
    // Earlier notifications were lost.
    if (isWanted && this.client === client) this.wakes.emit('wake', []);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.retry);
    await this.client?.end();
  }

  private lost(client: pg.Client, error?: Error): void {
    client.removeAllListeners();
    client.on('error', () => {});
    client.end().catch(() => {});
    if (this.stopped || this.retry) return;
    if (error) this.onError(error);
    this.client = undefined;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      void this.start();
    }, 250);
  }
}
