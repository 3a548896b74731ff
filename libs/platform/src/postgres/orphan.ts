import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PostgresStartError } from './postgres-start-error.js';
import { commandOf, isAlive, isGoneWithin, signalQuietly } from './processes.js';

const fastStopMs = 15_000;
const immediateStopMs = 10_000;

/**
 * Deals with what postmaster.pid says of an earlier server of this folder. Call it under the lock of
 * the folder: then the starter of that server is dead.
 *
 * - it runs still (node was killed): it is stopped, so that every start goes one way and with the
 *   settings asked for; that takes 50 ms;
 * - its pid is another program's by now: the server would refuse to start as long as that runs. The
 *   pid is made ours, which a server takes for no obstacle when we start it. The file stays, for
 *   its line on shared memory is how the server sees that children of the earlier one live on;
 * - its pid is no one's, or of a process that has ended: the same does no harm.
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
  log(`The PostgreSQL of an earlier start (process ${pid}) still runs: stopping it.`);
  await stopServer(pid);
}

/** Whether this is the command line of a server that we started on this folder. */
export function isServerOf(command: string, cluster: string): boolean {
  return command.includes('postgres') && ` ${command} `.includes(` -D ${cluster} `);
}

/**
 * Ends a server: a fast stop (sessions are cut, data are written out), after 15 s an immediate one.
 * Never SIGTERM, which waits for every client to leave.
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
