import type { RedisOptions as ClientOptions } from 'ioredis';

/** How to reach a Redis. Absent parts are not used: TLS only by `rediss://`, only the password in the address. */
export interface RedisOptions {
  /** `redis://…` or, with TLS, `rediss://user:password@host:port/0`. */
  url: string;
  /** The ACL user, and its password; they go before those in the address. */
  username?: string;
  password?: string;
  /** The authority for the server's certificate; the client's own for servers that ask for one. All PEM. */
  tls?: { ca?: string; cert?: string; key?: string; passphrase?: string; servername?: string };
  /** Before every key. In braces, so that all of them share one hash slot in a cluster; default `{curtail}`. */
  prefix?: string;
}

export const defaultPrefix = '{curtail}';

/** A server that was away is found again within this time. */
const longestPauseMs = 250;

export function clientOptions({ url, username, password, tls }: RedisOptions): ClientOptions {
  const isSecure = new URL(url).protocol === 'rediss:';
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isSecure ? { tls: { ...tls } } : {}),
    connectionName: 'curtail',
    // A server before 7.2 does not know it, and an ACL need not allow it.
    disableClientInfo: true,
    connectTimeout: 3000,
    keepAlive: 10_000,
    retryStrategy: (times) => Math.min(times * 50, longestPauseMs),
    // While it reads its file after a start it names the wait in whole seconds: that may be a tenth of one.
    maxLoadingRetryTime: longestPauseMs,
  };
}
