import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PostgresStartError } from './postgres-start-error.js';
import { commandOf, isAlive, isGoneWithin, signalQuietly } from './processes.js';

const fastStopMs = 15_000;
const immediateStopMs = 10_000;

/**
 * Handles an earlier server of this folder, by its postmaster.pid. Call it under the lock of the folder: then the
 * starter of that server is dead.
 *
 * - The server still runs (node was killed): it is stopped, so that every start is the same and uses the current
 *   settings; that takes 50 ms.
 * - Its pid belongs to another program by now: the server would refuse to start while that runs. The pid is replaced
 *   with that of this process, which a server accepts when this process starts it. The file stays, because its line
 *   about shared memory shows the server whether children of the earlier one are still running.
 * - Its pid is unused, or that of a process that has ended: the same does no harm.
 */
export async function clearOrphan(cluster: string, log: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const [first, ...rest] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(first);
  if (!Number.isSafeInteger(pid) || pid <= 0) return;
  if (!isAlive(pid) || !isServerOf(await commandOf(pid), cluster)) {
    await writeFile(file, [process.pid, ...rest].join('\n'));
    return;
  }
  log(`The PostgreSQL of an earlier start (process ${pid}) still runs; stopping it.`);
  await stopServer(pid);
}

/** Whether this is the command line of a server that we started on this folder. */
export function isServerOf(command: string, cluster: string): boolean {
  return command.includes('postgres') && ` ${command} `.includes(` -D ${cluster} `);
}

/**
 * Ends a server: a fast stop (sessions are cut, data are written out), after 15 s an immediate one. Never SIGTERM,
 * which waits for all clients to leave.
 */
export async function stopServer(pid: number): Promise<void> {
  for (const [signal, patience] of [
    ['SIGINT', fastStopMs],
    ['SIGQUIT', immediateStopMs],
  ] as const) {
    if (!signalQuietly(pid, signal)) return;
    if (await isGoneWithin(pid, patience)) return;
  }
  throw new PostgresStartError(
    `The server (process ${pid}) does not stop.`,
    'See what it waits for, then end it with `kill -9`; the data are safe, the next start recovers them.',
  );
}
