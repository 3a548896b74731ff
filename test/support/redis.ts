import { randomBytes } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { Redis } from 'ioredis';

/** The Redis of the run, and a prefix that one suite has to itself; what is under it goes with the suite. */
export function testRedis(): { url: string; prefix: string } {
  const url = process.env.REDIS_URL;
  if (!url) throw new Error('No test Redis: name the file *.int.spec.ts and run it with `npm run test:one`.');
  const prefix = `{test-${randomBytes(6).toString('hex')}}`;
  afterAll(async () => {
    const redis = new Redis(url);
    for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1000 })) {
      if (keys.length > 0) await redis.del(keys);
    }
    await redis.quit();
  });
  return { url, prefix };
}
