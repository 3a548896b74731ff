import { type ChildProcess, spawn } from 'node:child_process';
import { chown, open, readFile, rename, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Binaries } from './binaries.js';
import { serverEnvironment } from './cluster.js';
import type { DataHome } from './data-home.js';

const logLimitBytes = 10_000_000;
const readyWithinMs = 120_000;

/** How a server ended, and the end of its log. */
export interface ServerEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  logTail: string;
}

export interface ServerProcess {
  pid: number;
  /** Resolves when it has ended, for whatever reason. Never rejects. */
  ended: Promise<ServerEnd>;
}

/**
 * Starts the server in a session of its own: Ctrl-C in the terminal must reach the services first,
 * which still need the database to finish. Its output goes to a file, not to us, for it may
 * outlive us.
 */
export async function spawnServer(
  home: DataHome,
  binaries: Binaries,
  { port, durable }: { port: number; durable: boolean },
): Promise<ServerProcess> {
  const from = await rotateLog(home);
  const log = await open(home.log, 'a', 0o600);
  if (home.account) await chown(home.log, home.account.uid, home.account.gid);
  const ids = home.account && { uid: home.account.uid, gid: home.account.gid };
  const child = spawn(binaries.postgres, ['-D', home.cluster, ...settings(port, durable)], {
    ...ids,
    cwd: '/',
    detached: true,
    env: serverEnvironment,
    stdio: ['ignore', log.fd, log.fd],
  });
  const ended = endOf(child, home.log, from);
  await log.close();
  child.unref();
  return { pid: child.pid ?? 0, ended };
}

function settings(port: number, durable: boolean): string[] {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '64MB',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function endOf(child: ChildProcess, log: string, from: number): Promise<ServerEnd> {
  let failure = '';
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('exit', (...how) => resolve(how));
    child.once('error', (error) => {
      failure = error.message;
      resolve([null, null]);
    });
  });
  const text = await readFile(log).catch(() => Buffer.alloc(0));
  const lines = `${text.subarray(from).toString('utf8')}${failure}`.trim().split('\n');
  return { code, signal, logTail: lines.slice(-12).join('\n') };
}

/** Keeps one earlier log; returns where the new server's lines will begin. */
async function rotateLog(home: DataHome): Promise<number> {
  const size = (await stat(home.log).catch(() => undefined))?.size ?? 0;
  if (size < logLimitBytes) return size;
  await rename(home.log, `${home.log}.1`);
  return 0;
}

/** Connects until it works. Resolves to what went wrong: the end of the server, or undefined if it is ready. */
export async function waitUntilReady(server: ServerProcess, url: string): Promise<ServerEnd | undefined> {
  const end = server.ended.then((how) => ({ how }));
  let last = '';
  for (const until = Date.now() + readyWithinMs; Date.now() < until; ) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    const tried = client.connect().then(
      () => 'ready' as const,
      (error: Error) => {
        last = error.message;
        return 'not yet' as const;
      },
    );
    const outcome = await Promise.race([tried, end]);
    await client.end().catch(() => undefined);
    if (typeof outcome === 'object') return outcome.how;
    if (outcome === 'ready') return undefined;
    const pause = await Promise.race([delay(20), end]);
    if (pause) return pause.how;
  }
  return { code: null, signal: null, logTail: `no connection within ${readyWithinMs / 1000} s: ${last}` };
}
