import { createHash } from 'node:crypto';
import { createPostgresBackend, DelayedError, type Job, Queue, Worker } from 'bullmq';
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
  onError?: (error: Error) => void;
}

/**
 * A delayed BullMQ job per timer and generation. Deduplication is left alone on purpose: its "replace" loses the newest data
 * when it races with a job that has become due. A job of its own for each generation, compared with the timer table when it
 * rings, loses nothing.
 */
export class BullmqDoorbell implements Doorbell {
  private readonly pool: pg.Pool;
  private readonly queue: Queue<RingBody>;
  private worker: Worker<RingBody> | undefined;
  private readonly onError: (error: Error) => void;

  private constructor(private readonly options: BullmqDoorbellOptions) {
    this.onError = options.onError ?? (() => {});
    this.pool = new pg.Pool({
      connectionString: options.databaseUrl,
      max: 6,
      application_name: 'curtail-doorbell',
      options: '-c search_path=bullmq,public',
    });
    this.pool.on('error', this.onError);
    this.queue = new Queue<RingBody>(
      options.name,
      { connection: this.pool } as never,
      createPostgresBackend as never,
    );
    this.queue.on('error', this.onError);
  }

  /** Connects, and makes the tables of the jobs if they are not there. */
  static async open(options: BullmqDoorbellOptions): Promise<BullmqDoorbell> {
    await migrateJobs(options.databaseUrl);
    const doorbell = new BullmqDoorbell(options);
    await doorbell.queue.waitUntilReady();
    return doorbell;
  }

  async arm(rings: Ring[]): Promise<void> {
    if (rings.length === 0) return;
    const now = Date.now();
    await this.queue.addBulk(
      rings.map((ring) => ({
        name: 'ring',
        data: { ...ring, dueAt: ring.dueAt.toISOString() },
        opts: {
          jobId: jobId(ring),
          timestamp: now,
          delay: Math.min(Math.max(0, ring.dueAt.getTime() - now), longestDelayMs),
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
      // Clocks of two machines may differ, and a far-off timer waits in stages: never early.
      if (ring.dueAt.getTime() > Date.now()) {
        await job.moveToDelayed(Math.min(ring.dueAt.getTime(), Date.now() + longestDelayMs), token);
        throw new DelayedError();
      }
      await handler(ring);
    };
    this.worker = new Worker<RingBody>(
      this.options.name,
      process,
      { connection: this.pool, concurrency: this.options.concurrency ?? 50 } as never,
      createPostgresBackend as never,
    );
    this.worker.on('error', this.onError);
    await this.worker.waitUntilReady();
  }

  async close(): Promise<void> {
    await this.worker?.close();
    await this.queue.close();
    await this.pool.end();
  }
}

/** BullMQ keeps scores of delayed jobs as numbers with room for a counter; a year is far enough, then it waits again. */
const longestDelayMs = 365 * 24 * 3600 * 1000;

/** BullMQ refuses ids that are numbers or hold a colon, and queue names may hold one. */
function jobId(ring: Ring): string {
  const key = createHash('sha256')
    .update(`${ring.kind}/${ring.partition}/${ring.name}`)
    .digest('hex')
    .slice(0, 32);
  return `t${key}-${ring.generation}-${ring.dueAt.getTime()}`;
}

async function migrateJobs(url: string): Promise<void> {
  const queue = new Queue(
    'curtail-migrate',
    { connection: { connectionString: url, schema: 'bullmq', migrate: true, max: 2 } } as never,
    createPostgresBackend as never,
  );
  await queue.waitUntilReady();
  await queue.close();
}
