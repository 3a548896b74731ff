import { EventEmitter } from 'node:events';
import pg from 'pg';
import { wakeChannel } from './announce.js';
import { askedWhenSilent } from './database.js';
import { withSession } from './session-settings.js';

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
