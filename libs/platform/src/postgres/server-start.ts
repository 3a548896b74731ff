import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.js';
import type { DataHome } from './data-home.js';
import { refusalInLog } from './database-refusal.js';
import { freePort } from './free-port.js';
import { stopServer } from './orphan.js';
import { PostgresStartError } from './postgres-start-error.js';
import { type ServerEnd, type ServerProcess, spawnServer } from './server-process.js';
import { waitUntilReady } from './server-ready.js';

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
