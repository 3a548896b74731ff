import { Redis } from 'ioredis';
import { answerWithin } from '#waiting';
import { clientOptions, type RedisOptions } from './redis-options.js';

/**
 * Checks that a Redis answers now, over a new connection: an old connection does not show that its server hangs.
 *
 * @throws with the reason, within `withinMs` at the latest.
 */
export async function probeRedis(options: RedisOptions, withinMs = 2000): Promise<void> {
  const redis = new Redis(options.url, {
    ...clientOptions(options),
    lazyConnect: true,
    connectTimeout: withinMs,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
  });
  let reason: Error | undefined;
  redis.on('error', (error) => {
    reason = error;
  });
  try {
    // The wake-up queue requires INFO: this finds an ACL that does not allow it.
    await answerWithin(withinMs, () => redis.connect().then(() => redis.info('server')));
  } catch (error) {
    // "Connection is closed" alone explains nothing.
    throw reason ?? error;
  } finally {
    if (redis.status !== 'end') redis.disconnect();
  }
}
