import type { Job, Queue, Worker } from 'bullmq';

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
