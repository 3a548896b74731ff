import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The pids of a process's children; none if it has gone. */
export async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']).catch(() => ({
    stdout: '',
  }));
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid && child ? [child] : []));
}

/** Resident memory in bytes; undefined if it has gone. */
export async function memoryOf(pid: number): Promise<number | undefined> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  const kilobytes = Number(stdout.trim());
  return kilobytes > 0 ? kilobytes * 1024 : undefined;
}
