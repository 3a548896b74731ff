import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Whether there is such a process. One that may not be signalled is there too. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The command line of a process, words apart by one space; empty if it is gone. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ps(pid, 'command=');
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return words.split('\0').join(' ').trim();
}

/** Tells a process from a later one with the same pid; empty if it is gone. */
export async function birthOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ps(pid, 'lstart=');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  // The name, second field, may hold spaces and brackets: count from the last bracket. Start time is field 22.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return ticks ? `${boot.trim()} ${ticks}` : '';
}

/** Resolves to true when the process is gone, to false when it is still there after the time given. */
export async function isGoneWithin(pid: number, milliseconds: number): Promise<boolean> {
  for (const until = Date.now() + milliseconds; Date.now() < until; await delay(10)) {
    if (!isAlive(pid)) return true;
  }
  return !isAlive(pid);
}

async function ps(pid: number, format: string): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-o', format, '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.trim();
}
