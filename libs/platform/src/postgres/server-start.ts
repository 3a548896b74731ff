import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Binaries } from './binaries.js';
import type { DataHome } from './data-home.js';
import { refusalInLog } from './database-errors.js';
import { stopServer } from './orphan.js';
import { PostgresStartError } from './postgres-start-error.js';
import { type ServerEnd, type ServerProcess, spawnServer } from './server-process.js';

const attempts = 20;
const attemptPauseMs = 250;
const portTaken = /Address already in use/;
const memoryHeld = /shared memory block .*still in use/;

/** Starts the server, with retries where they may help, and waits until it accepts connections. */
export async function startServer(
  home: DataHome,
  binaries: Binaries,
  { fixedPort, durable, urlOf }: { fixedPort?: number; durable: boolean; urlOf: (port: number) => string },
): Promise<{ server: ServerProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = fixedPort ?? (await freePort());
    const server = await spawnServer(home, binaries, { port, durable });
    const end = await waitUntilReady(server, home.cluster, urlOf(port));
    if (!end) return { server, port };
    if (server.isRunning()) await stopServer(server.pid);
    if (attempt === attempts || !mayPass(end, fixedPort)) throw startError(home, port, end);
    await delay(attemptPauseMs);
  }
}

/** Children of a killed server hold its memory for a moment; a port that was free may just have been taken. */
function mayPass({ logTail }: ServerEnd, fixedPort: number | undefined): boolean {
  return memoryHeld.test(logTail) || (fixedPort === undefined && portTaken.test(logTail));
}

function startError(home: DataHome, port: number, { logTail }: ServerEnd): PostgresStartError {
  if (portTaken.test(logTail)) {
    return new PostgresStartError(
      `PostgreSQL cannot listen on 127.0.0.1:${port}: the port is taken.`,
      'Choose another port, leave it out to get a free one, or stop what uses it.',
      logTail,
    );
  }
  if (refusalInLog(logTail)) {
    return new PostgresStartError(
      `PostgreSQL does not start: the disk of ${home.folder} is full.`,
      'Make room on that disk, and start it again (docs/runbooks/disk-full.md).',
      logTail,
    );
  }
  const reason = `PostgreSQL does not start on the data in ${home.folder}.`;
  return new PostgresStartError(reason, `Its full log is in ${home.log}.`, logTail);
}

/** A port of 127.0.0.1 without a listener at this moment. Another process may take it first. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const readyWithinMs = 120_000;
const pollMs = 10;
const statusLine = 7;

/**
 * Waits until the server accepts connections; recovery after a crash may take long. Resolves to the failure, or to
 * undefined when it is ready.
 *
 * Checks the server's own pid file before it connects: until then another program may be on the port.
 */
async function waitUntilReady(
  server: ServerProcess,
  cluster: string,
  url: string,
): Promise<ServerEnd | undefined> {
  for (const until = Date.now() + readyWithinMs; Date.now() < until; ) {
    if (await isReady(server.pid, cluster)) return refusalOf(url);
    const end = await Promise.race([server.ended, delay(pollMs)]);
    if (end) return end;
  }
  return notIn(`not ready within ${readyWithinMs / 1000} s`);
}

async function isReady(pid: number, cluster: string): Promise<boolean> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[0] === String(pid) && lines[statusLine]?.trim() === 'ready';
}

async function refusalOf(url: string): Promise<ServerEnd | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    return notIn((error as Error).message);
  }
}

function notIn(why: string): ServerEnd {
  return { code: null, signal: null, logTail: `It runs, but accepts no connections: ${why}` };
}
