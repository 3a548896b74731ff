import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { JobServer } from '../job-server.js';
import { clientOptions, defaultPrefix, RedisError, type RedisOptions } from './redis-options.js';
import { Remembering } from './remembering.js';
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
