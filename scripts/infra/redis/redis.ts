import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setUp } from '../programs/set-up.js';
import type { Authority } from '../secured/authority.js';
import { launch } from '../server/launch.js';
import { ownFolder } from '../server/own-folder.js';
import { freePorts } from '../server/ports.js';
import { Server } from '../server/server.js';
import { answersAs } from './redis-ready.js';
import { probeUser, secureLines } from './secured-redis.js';

export interface RedisOptions {
  /** Default: one of its own, below the folder for temporary files, which `remove` removes. */
  folder?: string;
  /** Default: a free one. */
  port?: number;
  /** False for one that is to outlive this process. Default true. */
  leashed?: boolean;
  /** Further settings, as in redis.conf; one that stands here replaces the usual one. */
  settings?: Record<string, string>;
  /** With one, it speaks TLS only, with a certificate of this authority. */
  authority?: Authority;
  /** With some, no one else gets in. The rights of each, in the words of Redis' ACLs: `on >password ~{curtail}:* +@all`. */
  users?: Record<string, string>;
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

  /** `redis://…`. No user, no password, no TLS. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** `rediss://…` of a user, for one with TLS: trust the authority that it was given. */
  secureUrl(user = '', password = ''): string {
    return `rediss://${user}${password && `:${encodeURIComponent(password)}`}${user && '@'}localhost:${this.port}`;
  }
}

/** Describes a Redis without starting it. */
export async function openRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const { folder = ownFolder(), port, leashed = true, settings = {}, authority, users } = options;
  const ports = port ? { redis: port } : await freePorts(['redis'] as const);
  const log = join(folder, 'server.log');
  const data = join(folder, 'data');
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
        const values = { ...usual, port: String(ports.redis), dir: `"${data}"`, ...settings };
        const lines = [
          ...Object.entries(values).map(([name, value]) => `${name} ${value || '""'}`),
          ...(await secureLines(folder, ports.redis, { authority, users })),
        ];
        const file = join(folder, 'redis.conf');
        await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
        return launch(redisServer, [file], { cwd: folder, log });
      },
      isReady: (pid) =>
        answersAs(pid, {
          port: ports.redis,
          ...(authority && { tls: { ca: authority.ca } }),
          ...(users && probeUser),
        }),
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
