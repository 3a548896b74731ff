import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { ServerEnd, ServerProcess } from './server-process.js';

const readyWithinMs = 120_000;
const pollMs = 10;
const statusLine = 7;

/**
 * Waits until the server accepts connections; recovery after a crash may take long. Resolves to the failure, or to
 * undefined when it is ready.
 *
 * Checks the server's own pid file before it connects: until then another program may be on the port.
 */
export async function waitUntilReady(
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
