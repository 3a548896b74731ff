import { coreMilliseconds } from '../../bench/processes.js';
import type { Row } from '../../bench/report.js';

/** Milliseconds of a core by the name of the process. */
export type Cpu = ReadonlyMap<string, number>;

export const ourself = 'this benchmark';

/** CPU time of processes, this one included, so far; of others nothing without /proc. */
export async function cpuOf(pids: ReadonlyMap<string, number>): Promise<Cpu> {
  const used = await Promise.all(
    [...pids].map(async ([name, pid]) => [name, await coreMilliseconds(pid)] as const),
  );
  const { user, system } = process.cpuUsage();
  return new Map([
    ...used.filter((one): one is [string, number] => one[1] !== undefined),
    [ourself, (user + system) / 1000],
  ]);
}

export function cpuSince(before: Cpu, after: Cpu): Cpu {
  return new Map([...after].map(([name, used]) => [name, used - (before.get(name) ?? 0)]));
}

/**
 * A row a process, the dearest first, behind one with the sum of all but this one.
 *
 * @param by what the time is divided by, `for each run`
 */
export function cpuRows(what: string, cpu: Cpu, by: number): Row[] {
  const all = [...cpu].sort(([, a], [, b]) => b - a);
  const sum = all.reduce((so, [name, used]) => so + (name === ourself ? 0 : used), 0);
  const row = (what: string, used: number): Row => ({ what, measured: `${(used / by).toFixed(1)} ms` });
  return [row(`time of a core ${what}`, sum), ...all.map(([name, used]) => row(`  ${name}`, used))];
}
