import { Session } from 'node:inspector';

/** By then a process has done what follows from its start. */
const settledMs = 5000;

/**
 * Collects what the start has left, and gives its memory back to the system. V8 collects it by itself, but up to two and a half minutes later,
 * for a tenth of a second of a core in each process, when it has nothing else to do.
 */
export function collectAfterStart(): void {
  setTimeout(() => void collectAll(), settledMs).unref();
}

/** Collects the garbage of this process as if its memory were used up: other collections keep what they free. It takes a fifth of a second. */
export async function collectAll(): Promise<void> {
  const session = new Session();
  session.connect();
  await new Promise((resolve) => session.post('HeapProfiler.collectGarbage', resolve));
  // Within the answer it would wait for itself for ever.
  setImmediate(() => session.disconnect());
}
