const began = performance.now();

/** The current step, with the seconds since the start: a benchmark without output for minutes seems to hang. */
export function progress(line: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`);
}
