import { Redis, type RedisOptions } from 'ioredis';

/** Whether the Redis there is that process, and has read its data. */
export async function answersAs(pid: number, options: RedisOptions): Promise<boolean> {
  const client = new Redis({
    host: '127.0.0.1',
    ...options,
    lazyConnect: true,
    connectTimeout: 1000,
    commandTimeout: 2000,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const info = await client.info();
    return info.includes(`process_id:${pid}\r\n`) && info.includes('loading:0\r\n');
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
