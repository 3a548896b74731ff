import { createHash } from 'node:crypto';
import { createPostgresBackend, DelayedError, type Job, Queue, runMigrations, Worker } from 'bullmq';
import pg from 'pg';
import type { Doorbell, Ring } from './doorbell.js';

interface RingBody {
  kind: string;
  partition: string;
  name: string;
  generation: number;
  dueAt: string;
}

export interface BullmqDoorbellOptions {
  /** `postgres://…` of the database that holds the jobs, in a schema `bullmq` of its own. */
  databaseUrl: string;
  /** Separates doorbells that share a database; letters, digits and hyphens. */
  name: string;
  /** Rings handled at once, default 50. */
  concurrency?: number;
  /** A ring that is further off waits in stages of this length; default a year. */
  longestDelayMs?: number;
  /** This machine's clock, for tests. */
  now?: () => number;
  onError?: (error: Error) => void;
}

/**
 * A delayed BullMQ job per timer and generation. Deduplication is left alone on purpose: its "replace" loses the newest data
 * when it races with a job that has become due. A job of its own for each generation, compared with the timer table when it
 * rings, loses nothing.
 *
 * A ring is, one after the other:
 * - *delayed*, by `arm`. A crash before it leaves no job: the sweep over overdue timers finds the row.
 * - *active*, by the worker at the due time. Too early (a stage, or a clock that goes behind): delayed again.
 * - *gone*, when the handler returns. A handler that throws has the job delayed again, five times in all. A crash in between
 *   leaves an active job without an owner; BullMQ hands it out again after half a minute, the sweep is usually quicker.
 */
export class BullmqDoorbell implements Doorbell {
  private readonly queue: Queue<RingBody>;
  private worker: Worker<RingBody> | undefined;
  private readonly now: () => number;
  private readonly longestDelayMs: number;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly pool: pg.Pool,
    private readonly options: BullmqDoorbellOptions,
  ) {
    this.now = options.now ?? Date.now;
    this.longestDelayMs = options.longestDelayMs ?? aYearMs;
    this.queue = new Queue<RingBody>(
      options.name,
      { connection: pool } as never,
      createPostgresBackend as never,
    );
    this.queue.on('error', this.report);
  }

  /** Connects, and makes the tables of the jobs if they are not there. */
  static async open(options: BullmqDoorbellOptions): Promise<BullmqDoorbell> {
    const pool = openPool(options);
    try {
      const client = await pool.connect();
      try {
        // Takes a lock of its own: any number of processes may start at once.
        await runMigrations(client, schema);
      } finally {
        client.release();
      }
      const doorbell = new BullmqDoorbell(pool, options);
      await doorbell.queue.waitUntilReady();
      return doorbell;
    } catch (error) {
      await pool.end();
      throw error;
    }
  }

  async arm(rings: Ring[]): Promise<void> {
    if (rings.length === 0) return;
    await this.queue.addBulk(
      rings.map((ring) => ({
        name: 'ring',
        data: { ...ring, dueAt: ring.dueAt.toISOString() },
        opts: {
          jobId: jobId(ring),
          delay: this.stageMs(ring.dueAt),
          removeOnComplete: true,
          removeOnFail: true,
          attempts: 5,
          backoff: { type: 'exponential', delay: 100 },
        },
      })),
    );
  }

  async listen(handler: (ring: Ring) => Promise<void>): Promise<void> {
    const process = async (job: Job<RingBody>, token?: string) => {
      const ring = { ...job.data, dueAt: new Date(job.data.dueAt) };
      const stageMs = this.stageMs(ring.dueAt);
      if (stageMs > 0) {
        await job.moveToDelayed(Date.now() + stageMs, token);
        throw new DelayedError();
      }
      await handler(ring);
    };
    this.worker = new Worker<RingBody>(
      this.options.name,
      process,
      {
        connection: this.pool,
        concurrency: this.options.concurrency ?? 50,
        // After the server was away; BullMQ's own 15 s would make every ring of that time late.
        runRetryDelay: 250,
      } as never,
      createPostgresBackend as never,
    );
    this.worker.on('error', this.report);
    await this.worker.waitUntilReady();
  }

  /** Lets handlers in progress end. May be called again. */
  close(): Promise<void> {
    this.closing ??= (async () => {
      await this.worker?.close();
      await this.queue.close();
      await this.pool.end();
    })();
    return this.closing;
  }

  /** How long to wait until the due time, as far as one stage goes; 0 when it has come. */
  private stageMs(dueAt: Date): number {
    return Math.min(Math.max(0, dueAt.getTime() - this.now()), this.longestDelayMs);
  }

  private readonly report = (error: Error): void => {
    if (!this.closing) this.options.onError?.(error);
  };
}

/** BullMQ keeps scores of delayed jobs as numbers with room for a counter; a year is far enough, then it waits again. */
const aYearMs = 365 * 24 * 3600 * 1000;

/** The one that BullMQ takes for granted when it is given a pool. */
const schema = 'bullmq';

/**
 * One pool for the queue and the worker, which keeps one connection of it to listen. Its commits do not wait for the disk:
 * a crash of the database server may lose or double the rings of the last moment, and the timer table covers both.
 */
function openPool({ databaseUrl, onError = () => {} }: BullmqDoorbellOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 6,
    keepAlive: true,
    application_name: 'curtail-doorbell',
    options: `-c search_path=${schema},public -c synchronous_commit=off`,
  });
  pool.on('error', onError);
  // BullMQ takes connections out of the pool without listening: a server that goes away would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** BullMQ refuses ids that are numbers or hold a colon, and queue names may hold one. */
function jobId(ring: Ring): string {
  const key = createHash('sha256')
    .update(JSON.stringify([ring.kind, ring.partition, ring.name]))
    .digest('hex')
    .slice(0, 32);
  return `t${key}-${ring.generation}-${ring.dueAt.getTime()}`;
}
