const began = performance.now();

/** What goes on now, with the seconds since the start: a benchmark that is silent for minutes looks as if it hung. */
export function say(line: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`);
}
