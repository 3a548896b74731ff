import { loadavg } from 'node:os';
import { GCProfiler, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How long the work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Such as `1.25 s`. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/**
 * The best median of three rounds of each work, in milliseconds: the median of the runs of a round withstands single
 * disturbances, the best of three rounds a neighbour that is busy for a while. Works take turns, so that a neighbour slows
 * all of them and their ratio stays what it is.
 */
export function bestMedians(runs: number, ...works: (() => unknown)[]): number[] {
  return bestMediansBy(() => performance.now(), runs, works);
}

/** The same in time of a core, that of the collector of garbage included: what other processes do is hardly in it. */
export function bestCpuMedians(runs: number, ...works: (() => unknown)[]): number[] {
  const cpuTime = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  return bestMediansBy(cpuTime, runs, works);
}

/** One work beside another: core time in milliseconds, and what a single run of each leaves to the collector. */
export interface Pair {
  /** The medians of the runs. */
  readonly times: [number, number];
  /** The median of the ratios of the pairs, second to first. */
  readonly ratio: number;
  /** Bytes that one run creates. */
  readonly bytes: [number, number];
}

/** Enough for both works to be compiled. */
const WARM_UP = 6;

/**
 * Runs two works in pairs, one after the other in swapped order. A neighbour that is busy slows both works of a pair, so the ratio
 * stays what it is. Before each run, outside of its time, young garbage is collected: otherwise collections fall on one work or the other by
 * chance, and cost more than the works differ by. What they cost shows in the bytes. Only young garbage: a whole collection also takes shapes
 * of objects away that compiled code relies on, and times would be those of compiling it again.
 */
export function pairOf(runs: number, first: () => unknown, second: () => unknown): Pair {
  const times: [number[], number[]] = [[], []];
  const ratios: number[] = [];
  for (let run = -WARM_UP; run < runs; run++) {
    const swapped = run % 2 !== 0;
    const one = timeOf(swapped ? second : first);
    const other = timeOf(swapped ? first : second);
    if (run < 0) continue;
    const [ofFirst, ofSecond] = swapped ? [other, one] : [one, other];
    times[0].push(ofFirst);
    times[1].push(ofSecond);
    ratios.push(ofSecond / ofFirst);
  }
  return {
    times: [quantile(times[0], 0.5), quantile(times[1], 0.5)],
    ratio: quantile(ratios, 0.5),
    bytes: [bytesOf(first), bytesOf(second)],
  };
}

function timeOf(work: () => unknown): number {
  // The first moves what lives to the half where the second leaves it alone.
  collectYoung();
  collectYoung();
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** The least of some runs: a whole collection during one counts older garbage too. */
const bytesOf = (work: () => unknown): number =>
  Math.min(...Array.from({ length: 5 }, () => bytesOfRun(work)));

/** What a run creates: what the heap has grown by, and what was collected meanwhile. */
function bytesOfRun(work: () => unknown): number {
  collectYoung();
  const profiler = new GCProfiler();
  profiler.start();
  const before = getHeapStatistics().used_heap_size;
  work();
  const grown = getHeapStatistics().used_heap_size - before;
  const collected = profiler
    .stop()
    .statistics.map(
      ({ beforeGC, afterGC }) => beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
    );
  return collected.reduce((sum, bytes) => sum + bytes, grown);
}

let collect: ((options: { type: 'minor' }) => void) | undefined;

function collectYoung(): void {
  if (collect === undefined) {
    // As `node --expose-gc`, but for this process alone.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as NonNullable<typeof collect>;
  }
  collect({ type: 'minor' });
}

function bestMediansBy(now: () => number, runs: number, works: (() => unknown)[]): number[] {
  const best = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 3; round++) {
    const times: number[][] = works.map(() => []);
    for (let run = 0; run < runs; run++) {
      works.forEach((work, i) => {
        const start = now();
        work();
        times[i]!.push(now() - start);
      });
    }
    times.forEach((ofWork, i) => {
      const median = ofWork.sort((a, b) => a - b)[Math.floor(runs / 2)]!;
      best[i] = Math.min(best[i]!, median);
    });
  }
  return best;
}

export function loadAverage(): string {
  return loadavg()
    .map((load) => load.toFixed(2))
    .join(' ');
}

export function milliseconds(time: number): string {
  return `${time.toFixed(1)} ms`;
}

/** Rows under headings, padded. */
export function table(headings: string[], rows: string[][]): string {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd();
  return [line(headings), ...rows.map(line)].join('\n');
}

/** The time that so large a share of the times does not exceed; 0.99 = p99. */
export function quantile(times: number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
