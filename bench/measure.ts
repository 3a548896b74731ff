import { loadavg } from 'node:os';

/**
 * The best median of three rounds, in milliseconds: the median of the runs of a round withstands single disturbances, the
 * best of three rounds withstands a neighbour that is busy for a while.
 */
export function bestMedian(runs: number, work: () => unknown): number {
  const medians = [1, 2, 3].map(() => {
    const times = Array.from({ length: runs }, () => {
      const start = performance.now();
      work();
      return performance.now() - start;
    });
    return times.sort((a, b) => a - b)[Math.floor(runs / 2)]!;
  });
  return Math.min(...medians);
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
