import { type ChildProcess, spawn } from 'node:child_process';
import { constants, open, readFile, rename, stat } from 'node:fs/promises';
import type { Binaries } from './binaries.js';
import { serverEnvironment } from './cluster.js';
import type { DataHome } from './data-home.js';

const logLimitBytes = 10_000_000;
/** Root must not write to, or change the owner of, the target of a link in another user's folder. */
const appendHere = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** The exit of a server, and the end of its log. */
export interface ServerEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  logTail: string;
}

export interface ServerProcess {
  pid: number;
  /** False as soon as it has ended: its pid may then belong to another process. */
  isRunning(): boolean;
  /** Resolves when it has ended, for any reason. Never rejects. */
  ended: Promise<ServerEnd>;
}

/**
 * Starts the server in a session of its own: Ctrl-C in the terminal must reach the services first, which still need the
 * database to finish. Its output goes to a file, not to this process, which it may outlive.
 */
export async function spawnServer(
  home: DataHome,
  binaries: Binaries,
  { port, durable }: { port: number; durable: boolean },
): Promise<ServerProcess> {
  const from = await rotateLog(home);
  const log = await open(home.log, appendHere, 0o600);
  if (home.account) await log.chown(home.account.uid, home.account.gid);
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
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return { pid: child.pid ?? 0, isRunning, ended };
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
    // An empty table that receives ten thousand quotas is read slowly until the server has analyzed it. With shorter
    // intervals, every connection would plan its statements again and again.
    autovacuum_naptime: '30s',
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

/** Keeps one earlier log; returns the offset at which the lines of the new server begin. */
async function rotateLog(home: DataHome): Promise<number> {
  const size = (await stat(home.log).catch(() => undefined))?.size ?? 0;
  if (size < logLimitBytes) return size;
  await rename(home.log, `${home.log}.1`);
  return 0;
}
