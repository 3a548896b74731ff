import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setUp } from '../programs/set-up.js';
import { launch } from '../server/launch.js';
import { ownFolder } from '../server/own-folder.js';
import { freePorts } from '../server/ports.js';
import { Server } from '../server/server.js';
import { answersAs } from './redis-ready.js';

export interface RedisOptions {
  /** Default: one of its own, below the folder for temporary files, which `remove` removes. */
  folder?: string;
  /** Default: a free one. */
  port?: number;
  /** False for one that is to outlive this process. Default true. */
  leashed?: boolean;
  /** Further settings, as in redis.conf; one that stands here replaces the usual one. */
  settings?: Record<string, string>;
}

/** As BullMQ needs it: quick timers, nothing evicted, nothing lost when it is killed. */
const usual = {
  bind: '127.0.0.1',
  save: '',
  appendonly: 'yes',
  appendfsync: 'everysec',
  hz: '100',
  'maxmemory-policy': 'noeviction',
  daemonize: 'no',
};

export class RedisServer extends Server {
  get port(): number {
    return this.ports.redis as number;
  }

  /** `redis://…`. No user, no password. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }
}

/** Describes a Redis without starting it. */
export async function openRedis({
  folder = ownFolder(),
  port,
  leashed = true,
  settings = {},
}: RedisOptions = {}): Promise<RedisServer> {
  const ports = port ? { redis: port } : await freePorts(['redis'] as const);
  const log = join(folder, 'server.log');
  const data = join(folder, 'data');
  const values = { ...usual, port: String(ports.redis), dir: data, ...settings };
  return new RedisServer(
    {
      name: 'Redis',
      folder,
      log,
      ports,
      stopSignal: 'SIGTERM',
      leashSignal: 'KILL',
      launch: async () => {
        await mkdir(data, { recursive: true, mode: 0o700 });
        const { redisServer } = await setUp();
        const words = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
        return launch(redisServer, words, { cwd: folder, log });
      },
      isReady: (pid) => answersAs(pid, { port: ports.redis }),
    },
    leashed,
  );
}

/** Starts a Redis and waits until it is ready. */
export async function startRedis(options?: RedisOptions): Promise<RedisServer> {
  const server = await openRedis(options);
  await server.start();
  return server;
}
