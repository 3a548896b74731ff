import { CurtailError } from '@curtail/contracts';
import type { ReplayRequest } from '@curtail/contracts/api';
import type { Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';
import type { Checkpoint, TakenReplay } from './replay-rows.js';

/** A replay as its work sees it: what is wanted, where to go on, and where to store how far it is. */
export interface ReplayContext extends Readonly<TakenReplay> {
  readonly request: ReplayRequest;
  /** A transaction of the connection that holds the lock: if that is lost, so is the right to go on. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Stores how far it is, in the transaction of what was done. @throws ReplayLost */
  moveOn(tx: Tx, to: Checkpoint): Promise<void>;
  /** Tells how far it is between two stored places. */
  tell(done: number): void;
  /** Writes down that it is done, in the transaction that makes it so. */
  finish(tx: Tx, result: unknown): Promise<void>;
  /** Between two pages. @throws ReplayStopped if somebody wants it to stop, or this process ends. */
  goOnUnlessStopped(): void;
}

/** What a replay does with the log. It is given a database, and nothing that could evict. */
export interface ReplayWork {
  /** What the progress counts: `events`, `plans`. */
  readonly unit: string;
  /** How much there is to do. */
  count(db: DataSource, request: ReplayRequest): Promise<number>;
  /** Does it, from where the context says on. Safe to be cut off anywhere. @returns what came out */
  run(db: DataSource, context: ReplayContext): Promise<unknown>;
}

/** It was asked to stop; the same request resumes it. */
export class ReplayStopped extends CurtailError {
  readonly code = 'replay-stopped';
}
