import type { DataSource } from 'typeorm';
import { CurtailError } from '#contracts';
import type { ReplayRequest } from '#contracts/api';
import type { Tx } from '#event-store';
import type { ReplayProgress, TakenReplay } from './replay-rows.js';

/** The inputs of the work of a replay: the request, where to resume, and where to store progress. */
export interface ReplayContext extends Readonly<TakenReplay> {
  readonly request: ReplayRequest;
  /** A transaction of the connection that holds the lock: if the connection is lost, so is the right to continue. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Stores progress, in the transaction of the work. @throws ReplayLost */
  moveOn(tx: Tx, to: ReplayProgress): Promise<void>;
  /** Reports progress between two stored positions. */
  report(done: number): void;
  /** Records completion, in the transaction that completes the work. */
  finish(tx: Tx, result: unknown): Promise<void>;
  /** Called between two pages. @throws ReplayStopped if a stop was requested or this process shuts down. */
  goOnUnlessStopped(): void;
}

/** The work that a replay does with the log. It gets a database, and nothing that could evict. */
export interface ReplayWork {
  /** The unit of progress: `events`, `plans`. */
  readonly unit: string;
  /** The total amount of work. */
  count(db: DataSource, request: ReplayRequest): Promise<number>;
  /** Does the work, from the context's position on. Can be interrupted anywhere. @returns the result */
  run(db: DataSource, context: ReplayContext): Promise<unknown>;
}

/** A stop was requested, or the process ends; the same request resumes the replay. */
export class ReplayStopped extends CurtailError {
  readonly code = 'replay-stopped';

  constructor(readonly by: 'operator' | 'shutdown') {
    super(
      by === 'operator'
        ? 'it was stopped; the same request resumes it where it was'
        : 'its process has ended; the same request resumes it where it was',
    );
  }
}
