import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { type Authority, makeAuthority, type RedisServer, startRedis } from '../index.js';

describe('a Redis with TLS and users of its own', () => {
  let authority: Authority;
  let server: RedisServer;
  beforeAll(async () => {
    authority = await makeAuthority();
    const users = { timer: 'on >secret ~{curtail}:* &{curtail}:* +@all -@dangerous +info +client' };
    server = await startRedis({ authority, users });
  });
  afterAll(() => server.remove());

  async function use<T>(url: string, ca: string, work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(url, { lazyConnect: true, tls: { ca }, retryStrategy: () => null });
    redis.on('error', () => {});
    try {
      await redis.connect();
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  it('serves the user within what it may do', async () => {
    const url = server.secureUrl('timer', 'secret');
    expect(await use(url, authority.ca, (redis) => redis.set('{curtail}:a', '1'))).toBe('OK');
    await expect(use(url, authority.ca, (redis) => redis.set('elsewhere', '1'))).rejects.toThrow('NOPERM');
    await expect(use(url, authority.ca, (redis) => redis.flushall())).rejects.toThrow('NOPERM');
  });

  it('serves no one without the password, and is not believed without its authority', async () => {
    const set = (redis: Redis) => redis.set('{curtail}:a', '1');
    await expect(use(server.secureUrl('timer', 'wrong'), authority.ca, set)).rejects.toThrow();
    await expect(use(server.secureUrl(), authority.ca, set)).rejects.toThrow();
    await expect(use(server.secureUrl('timer', 'secret'), (await makeAuthority()).ca, set)).rejects.toThrow();
  });

  it('does so after kill -9 as well', async () => {
    await server.kill();
    await server.start();
    const url = server.secureUrl('timer', 'secret');
    expect(await use(url, authority.ca, (redis) => redis.set('{curtail}:b', '1'))).toBe('OK');
  });
});
