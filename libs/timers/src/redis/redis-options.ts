import { type RedisOptions as ClientOptions, Redis } from 'ioredis';
import { CodedError } from '#contracts';
import { answerWithin } from '#waiting';

/** How to reach a Redis. Absent parts are not used; TLS requires `rediss://`. */
export interface RedisOptions {
  /** `redis://…` or, with TLS, `rediss://user:password@host:port/0`. */
  url: string;
  /** The CA of the server's certificate, and the client certificate for servers that require one. All PEM. */
  tls?: { ca?: string; cert?: string; key?: string };
  /** The prefix of every key, in braces so that all keys share one hash slot in a cluster; default `{curtail}`. */
  prefix?: string;
}

export const defaultPrefix = '{curtail}';

/** The longest pause before a reconnect. */
const longestPauseMs = 250;

export function clientOptions({ url, tls }: RedisOptions): ClientOptions {
  const isSecure = new URL(url).protocol === 'rediss:';
  return {
    ...(isSecure ? { tls: { ...tls } } : {}),
    connectionName: 'curtail',
    // Servers before 7.2 do not support it, and an ACL may forbid it.
    disableClientInfo: true,
    connectTimeout: 3000,
    keepAlive: 10_000,
    retryStrategy: (times) => Math.min(times * 50, longestPauseMs),
    // While a starting server loads its file it gives the wait in whole seconds, but may be ready within 100 ms.
    maxLoadingRetryTime: longestPauseMs,
  };
}

/** Redis cannot be used as it is; `code` names why. */
export class RedisError extends CodedError {}

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
