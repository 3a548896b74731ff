import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { JobServer } from '../wake-up-queue.js';
import { clientOptions, defaultPrefix, RedisError, type RedisOptions } from './redis-options.js';
import { redisWarnings, WatchedRedis } from './watched-redis.js';

/** Connects in the background, and retries until it succeeds. */
export function connectRedis(options: {
  name: string;
  redis: RedisOptions;
  checkMs?: number;
  onError: (error: Error) => void;
  onWarning?: (warning: string) => void;
}): JobServer {
  const { onError, onWarning = () => {} } = options;
  const prefix = options.redis.prefix ?? defaultPrefix;
  // Commands survive their connection: BullMQ requires this, and `arm` sends commands only while connected.
  const redis = new WatchedRedis(options.redis.url, {
    ...clientOptions(options.redis),
    maxRetriesPerRequest: null,
  });
  redis.on('error', onError);
  const remembering = new Remembering(
    redis,
    `${prefix}:${options.name}:asked`,
    options.checkMs ?? 2000,
    onError,
  );
  warnOnceAStart(redis, onWarning);
  return {
    isAwaited: false,
    queue: (name) => new Queue(name, { connection: redis as never, prefix }),
    // It opens two connections of its own with the same options.
    worker: (name, process, settings) =>
      new Worker(name, process, { connection: redis as never, prefix, ...settings }),
    assertConnected: () => {
      if (redis.status !== 'ready')
        throw new RedisError('not-connected', `not connected to Redis (${redis.status})`);
    },
    whenForgotten: (again) => remembering.whenForgotten(again),
    close: async () => {
      await remembering.stop();
      redis.disconnect();
    },
  };
}

/** A reconnect may reach another server, or the same one with another configuration, so each run of a server is checked. */
function warnOnceAStart(redis: Redis, onWarning: (warning: string) => void): void {
  let lastRun: string | undefined;
  redis.on('ready', async () => {
    const info = await redis.info().catch(() => undefined);
    const run = info && /^run_id:(\w+)/m.exec(info)?.[1];
    if (!info || run === lastRun) return;
    lastRun = run;
    for (const warning of redisWarnings(info)) onWarning(warning);
  });
}

const forgottenError = 'Could not check whether Redis still has its wake-ups';

/**
 * Detects when Redis may have lost wake-ups, and has them requested again. Redis may lose some whenever the connection was lost (the
 * server restarted, another took over, or wake-ups were refused meanwhile), and loses all by a FLUSHALL, which no connection notices.
 * So a mark is stored beside the jobs, and checked every `checkMs`.
 *
 * The mark is set before the wake-ups are requested: a Redis that loses its keys in between loses the mark too, and gets the
 * requests again. Several processes may do so at once; a repeated request does not add a wake-up.
 */
class Remembering {
  private again: (() => Promise<void>) | undefined;
  private owed = true;
  private asking: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly redis: Redis,
    private readonly mark: string,
    checkMs: number,
    private readonly onError: (error: Error) => void,
  ) {
    redis.on('ready', () => {
      this.owed = true;
      this.check();
    });
    this.timer = setInterval(() => this.check(), checkMs);
  }

  whenForgotten(again: () => Promise<void>): void {
    this.again = again;
    this.owed = true;
    this.check();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.again = undefined;
    if (this.redis.status === 'ready') await this.asking;
  }

  private check(): void {
    if (!this.again || this.redis.status !== 'ready') return;
    this.asking ??= this.askIfForgotten(this.again)
      .catch((error: Error) => {
        this.owed = true;
        if (this.again) this.onError(new RedisError('unchecked', `${forgottenError}: ${error.message}`));
      })
      .finally(() => {
        this.asking = undefined;
      });
  }

  private async askIfForgotten(again: () => Promise<void>): Promise<void> {
    if (!this.owed && (await this.redis.exists(this.mark)) === 1) return;
    this.owed = false;
    await this.redis.set(this.mark, '1');
    await again();
  }
}
