import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DelayedError, type Job, type Queue, type Worker } from 'bullmq';
import type { Doorbell, Ring } from './doorbell.js';
import type { JobServer } from './job-server.js';
import { connectPostgres } from './postgres/jobs-on-postgres.js';
import { connectRedis } from './redis/jobs-on-redis.js';
import type { RedisOptions } from './redis/redis-options.js';

interface RingBody {
  kind: string;
  partition: string;
  name: string;
  generation: number;
  dueAt: string;
}

export interface DoorbellOptions {
  /** Separates doorbells that share a server; letters, digits and hyphens. */
  name: string;
  /** Rings handled at once, default 50. */
  concurrency?: number;
  /** A ring that is further off waits in stages of this length; default a year. */
  longestDelayMs?: number;
  /**
   * The clock that due times are meant by, in milliseconds; default this machine's. BullMQ goes by the clock of the process, and
   * is only ever told in how long, never when.
   */
  now?: () => number;
  onError?: (error: Error) => void;
}

export interface PostgresDoorbellOptions extends DoorbellOptions {
  /** `postgres://…` of the database that holds the jobs, in a schema `bullmq` of its own. */
  databaseUrl: string;
}

export interface RedisDoorbellOptions extends DoorbellOptions {
  redis: RedisOptions;
  /** How often to look whether Redis has forgotten what it was asked for, default 1000 ms. */
  lookMs?: number;
  /** Told, once a start of the server, what of its configuration costs time or rings. */
  onWarning?: (warning: string) => void;
}

/**
 * A delayed BullMQ job per timer and generation. Deduplication is left alone on purpose: its "replace" loses the newest data
 * when it races with a job that has become due. A job of its own for each generation, compared with the timer table when it
 * rings, loses nothing.
 *
 * A ring is, one after the other:
 * - *delayed*, by `arm`. A crash before it leaves no job: the sweep over overdue timers finds the row.
 * - *active*, by the worker a moment before the due time, which it waits for: what BullMQ takes to hand a job out has passed by
 *   then. Much too early (a stage, or a clock that goes behind): delayed again.
 * - *gone*, when the handler returns. A handler that throws has the job delayed again, five times in all. A crash in between
 *   leaves an active job without an owner; BullMQ hands it out again after half a minute, the sweep is usually quicker.
 */
export class BullmqDoorbell implements Doorbell {
  private readonly server: JobServer;
  private readonly queue: Queue<RingBody>;
  private worker: Worker<RingBody> | undefined;
  private readonly handling = new Set<Promise<void>>();
  private readonly now: () => number;
  private readonly longestDelayMs: number;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly options: DoorbellOptions,
    connect: (onError: (error: Error) => void) => JobServer,
  ) {
    this.now = options.now ?? Date.now;
    this.longestDelayMs = options.longestDelayMs ?? aYearMs;
    this.server = connect(this.report);
    this.queue = this.server.queue(options.name);
    this.queue.on('error', this.report);
  }

  /** Connects, and makes the tables of the jobs if they are not there. */
  static async openOnPostgres(options: PostgresDoorbellOptions): Promise<BullmqDoorbell> {
    const server = await connectPostgres(options.databaseUrl, options.onError);
    const doorbell = new BullmqDoorbell(options, () => server);
    try {
      await doorbell.queue.waitUntilReady();
      return doorbell;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Does not wait for the server: while it is away `arm` rejects, and once it is there everything pending is asked for. */
  static openOnRedis(options: RedisDoorbellOptions): BullmqDoorbell {
    return new BullmqDoorbell(options, (onError) => connectRedis({ ...options, onError }));
  }

  async arm(rings: Ring[]): Promise<void> {
    if (rings.length === 0) return;
    this.server.assertConnected();
    await this.queue.addBulk(
      rings.map((ring) => ({
        name: 'ring',
        data: { ...ring, dueAt: ring.dueAt.toISOString() },
        opts: {
          jobId: jobId(ring),
          delay: Math.max(0, this.stageMs(ring.dueAt) - headStartMs),
          removeOnComplete: true,
          removeOnFail: true,
          attempts: 5,
          backoff: { type: 'exponential', delay: 100 },
        },
      })),
    );
  }

  async listen(handler: (ring: Ring) => Promise<void>): Promise<void> {
    // A process that ends while it starts: nobody would end a worker that began now.
    if (this.closing) return;
    const process = async (job: Job<RingBody>, token?: string) => {
      const ring = { ...job.data, dueAt: new Date(job.data.dueAt) };
      const stageMs = this.stageMs(ring.dueAt);
      if (stageMs > headStartMs) {
        await job.moveToDelayed(Date.now() + stageMs - headStartMs, token);
        throw new DelayedError();
      }
      // A timer may ring a millisecond before its time.
      for (let ms = stageMs; ms > 0; ms = this.stageMs(ring.dueAt)) await delay(ms);
      const handled = handler(ring).finally(() => this.handling.delete(handled));
      this.handling.add(handled);
      await handled;
    };
    this.worker = this.server.worker(this.options.name, process, {
      concurrency: this.options.concurrency ?? 50,
      // After the server was away; BullMQ's own 15 s would make every ring of that time late.
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

  /** A server that is away cannot be told how the last jobs ended, and BullMQ would wait for it for ever. */
  private async closeWorker(worker: Worker<RingBody>): Promise<void> {
    const closed = worker.close(!this.isConnected()).then(() => true);
    await Promise.allSettled(this.handling);
    const isClosed = await Promise.race([closed, delay(toldWithinMs, false, { ref: false })]);
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

  /** How long to wait until the due time, as far as one stage goes; 0 when it has come. */
  private stageMs(dueAt: Date): number {
    return Math.min(Math.max(0, dueAt.getTime() - this.now()), this.longestDelayMs);
  }

  private readonly report = (error: Error): void => {
    if (!this.closing) this.options.onError?.(error);
  };
}

/** So long before its due time a ring is handed out. */
const headStartMs = 25;

/** Long enough for a server that answers to be told how the last jobs ended. */
const toldWithinMs = 1000;

/** BullMQ keeps scores of delayed jobs as numbers with room for a counter; a year is far enough, then it waits again. */
const aYearMs = 365 * 24 * 3600 * 1000;

/** BullMQ refuses ids that are numbers or hold a colon, and queue names may hold one. */
function jobId(ring: Ring): string {
  const key = createHash('sha256')
    .update(JSON.stringify([ring.kind, ring.partition, ring.name]))
    .digest('hex')
    .slice(0, 32);
  return `t${key}-${ring.generation}-${ring.dueAt.getTime()}`;
}
