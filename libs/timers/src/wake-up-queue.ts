import type { Job, Queue, Worker } from 'bullmq';
import type { TimerKey } from './timer-table.js';

/** This timer, set for this time, is due. It is only a hint: its receiver reads the timer table. */
export interface WakeUp extends TimerKey {
  generation: number;
  dueAt: Date;
}

/**
 * Wakes when timers are due. A wake-up may be lost and may come twice; it never comes early. Every adapter passes
 * `test/contracts/wake-up-queue.ts`.
 */
export interface WakeUpQueue {
  /**
   * Requests wake-ups, after the transaction that set the timers has committed. A repeated request does not add a wake-up.
   * Rejects soon if the server is unavailable: the wake-ups are then requested again later (`whenForgotten`).
   */
  arm(wakeUps: WakeUp[]): Promise<void>;
  /** Starts to listen, unless it was closed before. A wake-up whose handler throws is repeated a few times. */
  listen(handler: (wakeUp: WakeUp) => Promise<void>): Promise<void>;
  /**
   * Calls `again` now, and whenever requested wake-ups may have been lost: it requests all pending ones again. If it
   * rejects, it is called again.
   */
  whenForgotten(again: () => Promise<void>): void;
  close(): Promise<void>;
}

/** Nest token of the port. */
export const WAKE_UP_QUEUE = Symbol('WakeUpQueue');

export interface WorkerSettings {
  concurrency: number;
  runRetryDelay: number;
}

/** Where BullMQ keeps the jobs of a wake-up queue: the only difference between PostgreSQL and Redis. */
export interface JobServer {
  queue<T>(name: string): Queue<T>;
  worker<T>(
    name: string,
    process: (job: Job<T>, token?: string) => Promise<void>,
    settings: WorkerSettings,
  ): Worker<T>;
  /** Whether the start waits until the server answers. */
  readonly isAwaited: boolean;
  /** @throws if the server cannot be reached now. */
  assertConnected(): void;
  /** As `WakeUpQueue.whenForgotten`. */
  whenForgotten(again: () => Promise<void>): void;
  close(): Promise<void>;
}
