import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow in small steps. A listing makes much garbage at once: with 10,000 pods V8 would take a quarter more memory
 * than it needs, and spend the time after it on giving some back. A heuristic of the collector reads the flag each time, so it
 * counts from here on.
 */
export function preferLittleMemory(): void {
  setFlagsFromString('--optimize-for-size');
}
