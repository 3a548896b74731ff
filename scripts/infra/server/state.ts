import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { birthOf, isAlive } from '../../../libs/platform/src/postgres/processes.js';

/** The state of a server by its folder: the process, if one was started and not stopped, and the ports, which it keeps. */
export interface ServerState {
  process?: { pid: number; birth: string };
  ports: Record<string, number>;
}

const nameIn = (folder: string): string => join(folder, 'state.json');

/** Undefined if the folder has none, or one that cannot be read. */
export async function readState(folder: string): Promise<ServerState | undefined> {
  const text = await readFile(nameIn(folder), 'utf8').catch(() => '');
  try {
    const { process: recorded, ports } = JSON.parse(text) as Partial<ServerState>;
    if (typeof ports !== 'object' || !Object.values(ports).every(Number.isSafeInteger)) return undefined;
    const whole = Number.isSafeInteger(recorded?.pid) && typeof recorded?.birth === 'string';
    return whole ? { process: recorded, ports } : { ports };
  } catch {
    return undefined;
  }
}

export async function writeState(folder: string, state: ServerState): Promise<void> {
  const partial = `${nameIn(folder)}.${process.pid}.partial`;
  await writeFile(partial, JSON.stringify(state), { mode: 0o600 });
  await rename(partial, nameIn(folder));
}

/** The process that the state names, if it still runs. Pids are used again: the time of birth must be the same. */
export async function runningProcess(state: ServerState | undefined): Promise<number | undefined> {
  if (!state?.process) return undefined;
  const { pid, birth } = state.process;
  return isAlive(pid) && birth !== '' && (await birthOf(pid)) === birth ? pid : undefined;
}
