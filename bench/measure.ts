import { loadavg } from 'node:os';

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
