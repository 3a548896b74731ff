import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DelayedError, type Job, type Queue, type Worker } from 'bullmq';
import { connectPostgres } from './postgres/jobs-on-postgres.js';
import { connectRedis } from './redis/jobs-on-redis.js';
import type { RedisOptions } from './redis/redis-options.js';
import type { JobServer, WakeUp, WakeUpQueue } from './wake-up-queue.js';

interface WakeUpBody {
  kind: string;
  partition: string;
  name: string;
  generation: number;
  dueAt: string;
}

export interface WakeUpQueueOptions {
  /** Separates wake-up queues that share a server; letters, digits and hyphens. */
  name: string;
  /** Wake-ups handled at once, default 50. */
  concurrency?: number;
  /** A wake-up that is further off waits in stages of this length; default a year. */
  longestDelayMs?: number;
  /**
   * The clock that due times refer to, in milliseconds; default this machine's. BullMQ uses the clock of the process, so it only gets
   * delays, never times.
   */
  now?: () => number;
  onError?: (error: Error) => void;
}

export interface PostgresWakeUpQueueOptions extends WakeUpQueueOptions {
  /** `postgres://…` of the database that holds the jobs, in a schema `bullmq` of its own. */
  databaseUrl: string;
}

export interface RedisWakeUpQueueOptions extends WakeUpQueueOptions {
  redis: RedisOptions;
  /** How often to check whether Redis has lost its jobs, default 1000 ms. */
  checkMs?: number;
  /** Called, once per start of the server, for each setting of it that delays or loses wake-ups. */
  onWarning?: (warning: string) => void;
}

/**
 * A delayed BullMQ job per timer and generation. BullMQ's deduplication is deliberately unused: its "replace" loses the newest data
 * when it races with a job that has become due. One job for each generation, compared with the timer table when it is due, loses
 * nothing.
 *
 * A wake-up passes these states:
 * - *delayed*, by `arm`. A crash before it leaves no job: the sweep over overdue timers finds the row.
 * - *active*, by the worker a moment before the due time, which it waits for: this hides the time that BullMQ needs to hand out a job.
 *   If it is much too early (a stage, or a clock that went back), it is delayed again.
 * - *gone*, when the handler returns. A handler that throws has the job delayed again, five times in all. A crash in between
 *   leaves an active job without an owner; BullMQ hands it out again after half a minute, the sweep is usually quicker.
 */
export class BullmqWakeUpQueue implements WakeUpQueue {
  private readonly server: JobServer;
  private readonly queue: Queue<WakeUpBody>;
  private worker: Worker<WakeUpBody> | undefined;
  private readonly handling = new Set<Promise<void>>();
  private readonly now: () => number;
  private readonly longestDelayMs: number;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly options: WakeUpQueueOptions,
    connect: (onError: (error: Error) => void) => JobServer,
  ) {
    this.now = options.now ?? Date.now;
    this.longestDelayMs = options.longestDelayMs ?? aYearMs;
    this.server = connect(this.report);
    this.queue = this.server.queue(options.name);
    this.queue.on('error', this.report);
  }

  /** Connects, and creates the tables of the jobs if they do not exist. */
  static async openOnPostgres(options: PostgresWakeUpQueueOptions): Promise<BullmqWakeUpQueue> {
    const server = await connectPostgres(options.databaseUrl, options.onError);
    const wakeUpQueue = new BullmqWakeUpQueue(options, () => server);
    try {
      await wakeUpQueue.queue.waitUntilReady();
      return wakeUpQueue;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Does not wait for the server: while it is away `arm` rejects; once it is there, all pending wake-ups are requested. */
  static openOnRedis(options: RedisWakeUpQueueOptions): BullmqWakeUpQueue {
    return new BullmqWakeUpQueue(options, (onError) => connectRedis({ ...options, onError }));
  }

  async arm(wakeUps: WakeUp[]): Promise<void> {
    if (wakeUps.length === 0) return;
    this.server.assertConnected();
    await this.queue.addBulk(
      wakeUps.map((wakeUp) => ({
        name: 'wake-up',
        data: { ...wakeUp, dueAt: wakeUp.dueAt.toISOString() },
        opts: {
          jobId: jobId(wakeUp),
          delay: Math.max(0, this.stageMs(wakeUp.dueAt) - headStartMs),
          removeOnComplete: true,
          removeOnFail: true,
          attempts: 5,
          backoff: { type: 'exponential', delay: 100 },
        },
      })),
    );
  }

  async listen(handler: (wakeUp: WakeUp) => Promise<void>): Promise<void> {
    // The process is ending while it starts: a worker started now would never be closed.
    if (this.closing) return;
    const process = async (job: Job<WakeUpBody>, token?: string) => {
      const wakeUp = { ...job.data, dueAt: new Date(job.data.dueAt) };
      const stageMs = this.stageMs(wakeUp.dueAt);
      if (stageMs > headStartMs) {
        await job.moveToDelayed(Date.now() + stageMs - headStartMs, token);
        throw new DelayedError();
      }
      // A timer may fire a millisecond before its time.
      for (let ms = stageMs; ms > 0; ms = this.stageMs(wakeUp.dueAt)) await delay(ms);
      const handled = handler(wakeUp).finally(() => this.handling.delete(handled));
      this.handling.add(handled);
      await handled;
    };
    this.worker = this.server.worker(this.options.name, process, {
      concurrency: this.options.concurrency ?? 50,
      // After the server was unavailable: BullMQ's default of 15 s would delay every wake-up of that time.
      runRetryDelay: 250,
    });
    this.worker.on('error', this.report);
    if (this.server.isAwaited) await this.worker.waitUntilReady();
  }

  whenForgotten(again: () => Promise<void>): void {
    this.server.whenForgotten(again);
  }

  /** Lets handlers in progress end. May be called again. */
  close(): Promise<void> {
    this.closing ??= (async () => {
      if (this.worker) await this.closeWorker(this.worker);
      await this.queue.close();
      await this.server.close();
    })();
    return this.closing;
  }

  /** BullMQ waits without end to report the outcome of the last jobs to an unavailable server; this limits the wait. */
  private async closeWorker(worker: Worker<WakeUpBody>): Promise<void> {
    const closed = worker.close(!this.isConnected()).then(() => true);
    await Promise.allSettled(this.handling);
    const isClosed = await Promise.race([closed, delay(reportedWithinMs, false, { ref: false })]);
    if (!isClosed) void worker.disconnect().catch(() => {});
  }

  private isConnected(): boolean {
    try {
      this.server.assertConnected();
      return true;
    } catch {
      return false;
    }
  }

  /** Milliseconds until the due time, at most one stage; 0 if it has passed. */
  private stageMs(dueAt: Date): number {
    return Math.min(Math.max(0, dueAt.getTime() - this.now()), this.longestDelayMs);
  }

  private readonly report = (error: Error): void => {
    if (!this.closing) this.options.onError?.(error);
  };
}

/** How long before its due time a wake-up is handed out. */
const headStartMs = 25;

/** Long enough to report the outcome of the last jobs to a server that answers. */
const reportedWithinMs = 1000;

/** BullMQ stores scores of delayed jobs as numbers with room for a counter, which a year fits; longer waits take several stages. */
const aYearMs = 365 * 24 * 3600 * 1000;

/** BullMQ refuses ids that are numbers or hold a colon, and queue names may hold one. */
function jobId(wakeUp: WakeUp): string {
  const key = createHash('sha256')
    .update(JSON.stringify([wakeUp.kind, wakeUp.partition, wakeUp.name]))
    .digest('hex')
    .slice(0, 32);
  return `t${key}-${wakeUp.generation}-${wakeUp.dueAt.getTime()}`;
}
