import type { Socket } from 'node:net';
import pg from 'pg';
import type { AnswerWatch, WaitingForAnswer } from '../answer-watch.js';

/** The options that a pool with this class as its `Client` passes on to each connection. */
export interface WatchedConfig extends pg.ClientConfig {
  answerWatch?: AnswerWatch;
  /** Called with the error of each statement that failed. */
  onFailure?: (error: unknown) => void;
}

/** A connection that is cut when its server is lost silently (AnswerWatch), so that its callers get an error. */
export class WatchedClient extends pg.Client implements WaitingForAnswer {
  waitingSince: number | undefined;
  /** Why the connection is over. */
  lostBy: Error | undefined;
  private unanswered = 0;
  private watch: AnswerWatch | undefined;
  private readonly onFailure: ((error: unknown) => void) | undefined;

  constructor(config?: string | WatchedConfig) {
    super(config);
    // The pool and TypeORM listen too, but not at the moment in which one hands the connection to the other: a server
    // that ends right then would end the process. Waiting callers get an error anyway.
    this.on('error', (error) => {
      this.lostBy ??= error;
    });
    this.onFailure = typeof config === 'object' ? config.onFailure : undefined;
    const watch = typeof config === 'object' ? config.answerWatch : undefined;
    if (!watch) return;
    this.watch = watch;
    watch.add(this);
    this.once('end', () => watch.remove(this));
    const query = this.query.bind(this) as (...words: unknown[]) => unknown;
    this.query = ((...words: unknown[]) => this.awaited(query, words)) as typeof this.query;
  }

  cut(reason: string): void {
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    // The code of a connection that the operating system considers lost.
    stream.destroy(Object.assign(new Error(`the database is lost: ${reason}`), { code: 'ETIMEDOUT' }));
  }

  /** Answers arrive as a promise, or in a callback after the arguments; a query object of the driver has neither. */
  private awaited(query: (...words: unknown[]) => unknown, words: unknown[]): unknown {
    const answered = this.asked();
    const last = words.at(-1);
    if (typeof last === 'function') {
      return query(...words.slice(0, -1), (...answer: unknown[]) => {
        answered();
        if (answer[0]) this.onFailure?.(answer[0]);
        last(...answer);
      });
    }
    const result = query(...words);
    if (result instanceof Promise) {
      result.then(answered, (error: unknown) => {
        answered();
        this.onFailure?.(error);
      });
    } else {
      answered();
    }
    return result;
  }

  private asked(): () => void {
    this.unanswered++;
    if (this.waitingSince === undefined) {
      this.waitingSince = performance.now();
      this.watch?.begun();
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.unanswered--;
      // The next statement has waited in the queue of this connection only.
      this.waitingSince = this.unanswered > 0 ? performance.now() : undefined;
    };
  }
}

/** Makes the connections of a `pg` pool watched ones. */
export function watchedBy(answerWatch: AnswerWatch): pg.PoolConfig {
  return { Client: WatchedClient, answerWatch } as pg.PoolConfig;
}
