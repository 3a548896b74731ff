import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The top folder of the checkout; the benchmark itself is in dist/bench. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** With `CURTAIL_BENCH_PROFILE`, the options that have a process of node's write a CPU profile into that folder when it ends. */
export function profiled(): string[] {
  const folder = process.env.CURTAIL_BENCH_PROFILE;
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
}

/** A program of node's, with its output thrown away unless it goes wrong. */
export interface Program {
  process: ChildProcess;
  /** Rejects with the end of its standard error if it did not end with one of the `fine` statuses. */
  ended: Promise<void>;
}

export function startProgram(
  words: string[],
  environment: Record<string, string> = {},
  fine: number[] = [0],
): Program {
  const child = spawn(process.execPath, [...profiled(), ...words], {
    cwd: root,
    env: { CURTAIL_AUTH: 'none', ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code !== null && fine.includes(code)) resolve();
      else reject(new Error(`${words.join(' ')} ended with ${code ?? signal}: ${output}`));
    });
  });
  // A waiting caller gets its failure; a caller that does not wait must not be ended by it.
  ended.catch(() => {});
  return { process: child, ended };
}

/** From the start of a process to its end, in milliseconds: the best of three medians of three. */
export async function bestMedianOfRuns(words: string[], fine?: number[]): Promise<number> {
  const medians: number[] = [];
  for (let round = 0; round < 3; round++) {
    const times: number[] = [];
    for (let run = 0; run < 3; run++) {
      const began = performance.now();
      await startProgram(words, {}, fine).ended;
      times.push(performance.now() - began);
    }
    medians.push(times.sort((a, b) => a - b)[1]!);
  }
  return Math.min(...medians);
}

/** The most memory that a process ever had, in bytes; undefined where /proc has no such figure. */
export async function peakMemory(pid: number): Promise<number | undefined> {
  return kilobytes(`/proc/${pid}/status`, /^VmHWM:\s+(\d+) kB/m);
}

/** Seconds of a core that a program and a database server with all its processes have used; undefined without /proc. */
export async function cpuSeconds(
  pid: number,
  databasePid: number,
): Promise<{ process: number; database: number } | undefined> {
  const own = await ticks(pid);
  if (own === undefined) return undefined;
  return { process: own / 100, database: ((await coreMilliseconds(databasePid)) ?? 0) / 1000 };
}

/** Milliseconds of a core that a process and its children have used, ended ones included; undefined without /proc. */
export async function coreMilliseconds(pid: number): Promise<number | undefined> {
  const own = await ticks(pid);
  if (own === undefined) return undefined;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const ofChildren = await Promise.all(
    children
      .split(' ')
      .filter(Boolean)
      .map((child) => ticks(Number(child))),
  );
  return 10 * ofChildren.reduce<number>((sum, one) => sum + (one ?? 0), own);
}

/** How often the main thread of a process has gone to sleep since it began; undefined where /proc has no such figure. */
export async function wakeUps(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/task/${pid}/status`, 'utf8').catch(() => '');
  const found = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The proportional set size of a process, in bytes: what it shares with others counts in part. Undefined where /proc has no such figure. */
export async function proportionalMemory(pid: number): Promise<number | undefined> {
  return kilobytes(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB/m);
}

/** The memory that a process has now, in bytes; undefined where /proc has no such figure. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  return kilobytes(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB/m);
}

/** Hundredths of a second, those of children that have ended included. */
async function ticks(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program stands in brackets and may hold anything; from the state on there are only numbers.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields?.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

async function kilobytes(file: string, line: RegExp): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = line.exec(text)?.[1];
  return found === undefined ? undefined : Number(found) * 1024;
}
