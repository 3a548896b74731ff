import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * Whether the process runs. A process that may not be signalled counts as running. One that has ended does not, even if
 * its exit code was not collected: in a container there may be no process that does.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return process.platform !== 'linux' || stateAndOn(readQuietly(`/proc/${pid}/stat`))[0] !== 'Z';
}

/** Signals a process; false if it no longer exists. */
export function signalQuietly(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** The command line of a process, with its words separated by one space; empty if it is gone. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ps(pid, 'command=');
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return words.split('\0').join(' ').trim();
}

/** Distinguishes a process from a later one with the same pid; empty if it is gone. */
export async function birthOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ps(pid, 'lstart=');
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const ticks = stateAndOn(readQuietly(`/proc/${pid}/stat`))[19];
  return ticks ? `${boot.trim()} ${ticks}` : '';
}

/** Resolves to true when the process is gone, to false if it still exists after the given time. */
export async function isGoneWithin(pid: number, milliseconds: number): Promise<boolean> {
  for (const until = Date.now() + milliseconds; Date.now() < until; await delay(10)) {
    if (!isAlive(pid)) return true;
  }
  return !isAlive(pid);
}

/** The fields of proc(5)'s stat from the third, the state. The name before it may hold spaces and brackets. */
function stateAndOn(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function ps(pid: number, format: string): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-o', format, '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.trim();
}
