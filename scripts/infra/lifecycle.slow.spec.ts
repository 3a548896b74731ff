import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { query } from '../../test/support/query.js';
import {
  type KafkaServer,
  type PostgresServer,
  type RedisServer,
  type Server,
  startKafka,
  startPostgres,
  startRedis,
} from './index.js';

interface Case {
  start(): Promise<Server>;
  /** Leaves something behind in it. */
  write(server: Server): Promise<void>;
  /** The rest that `write` left. */
  read(server: Server): Promise<unknown>;
}

const kafkaOf = (server: Server) =>
  new Kafka({ brokers: (server as KafkaServer).brokers, logLevel: logLevel.NOTHING }).admin();
const redisOf = (server: Server) => new Redis((server as RedisServer).url, { lazyConnect: true });

const cases: Record<string, Case> = {
  Kafka: {
    start: () => startKafka(),
    async write(server) {
      const admin = kafkaOf(server);
      await admin.connect();
      await admin.createTopics({ topics: [{ topic: 'kept' }], waitForLeaders: true });
      await admin.disconnect();
    },
    async read(server) {
      const admin = kafkaOf(server);
      await admin.connect();
      const topics = await admin.listTopics();
      await admin.disconnect();
      return topics.includes('kept');
    },
  },
  Redis: {
    start: () => startRedis({ settings: { appendfsync: 'always' } }),
    async write(server) {
      const redis = redisOf(server);
      await redis.set('kept', 'yes');
      redis.disconnect();
    },
    async read(server) {
      const redis = redisOf(server);
      const value = await redis.get('kept');
      redis.disconnect();
      return value === 'yes';
    },
  },
  PostgreSQL: {
    start: () => startPostgres(),
    write: async (server) => {
      await query((server as PostgresServer).url, 'CREATE TABLE kept ()');
    },
    read: async (server) => {
      const rows = await query(
        (server as PostgresServer).url,
        "SELECT to_regclass('kept') IS NOT NULL AS kept",
      );
      return (rows as { kept: boolean }[])[0]?.kept;
    },
  },
};

describe.each(Object.entries(cases))('a %s of a test', (_, { start, write, read }) => {
  let server: Server;
  beforeAll(async () => {
    server = await start();
    await write(server);
  });
  afterAll(() => server.remove());

  it('comes back on the same ports with the same data after an orderly stop', async () => {
    const { ports, pid } = server;
    await server.stop();
    expect(server.pid).toBeUndefined();
    await server.start();
    expect(server.ports).toEqual(ports);
    expect(server.pid).not.toBe(pid);
    expect(await read(server)).toBe(true);
  });

  it('does not answer while it is frozen, and does again once it is thawed', async () => {
    const { pid } = server;
    await server.freeze();
    expect(await server.answers()).toBe(false);
    await server.thaw();
    await server.waitReady();
    expect(server.pid).toBe(pid);
    expect(await read(server)).toBe(true);
  });

  it('comes back after kill -9, even of a frozen one, of which no process is left', async () => {
    const pids = await server.pids();
    await server.freeze();
    await server.kill();
    await server.start();
    expect((await server.pids()).filter((pid) => pids.includes(pid))).toEqual([]);
    expect(await read(server)).toBe(true);
  });

  it('leaves nothing when it is removed', async () => {
    const { folder } = server;
    await server.remove();
    await expect(access(folder)).rejects.toThrow('ENOENT');
  });
});

it('a server whose port is taken states the remedy', async () => {
  const server = await startRedis();
  await server.stop();
  const stranger = createServer();
  const [port] = Object.values(server.ports);
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
  await expect(server.start()).rejects.toThrow(
    `${server.name} cannot listen on 127.0.0.1:${port}: the port is taken.`,
  );
  await new Promise((resolve) => stranger.close(resolve));
  await server.start();
  expect(await server.answers()).toBe(true);
  await server.remove();
});

it('a server that does not start shows the end of its log', async () => {
  const started = startRedis({ settings: { 'maxmemory-policy': 'whatever' } });
  await expect(started).rejects.toThrow(
    /^Redis has ended before it was ready\.(.|\n)*FATAL CONFIG FILE ERROR/,
  );
});
