import { setTimeout as delay } from 'node:timers/promises';

/** @returns whether the work ended in time. */
export async function endsWithin(work: Promise<unknown> | undefined, ms: number): Promise<boolean> {
  if (!work) return true;
  const over = new AbortController();
  try {
    return await Promise.race([
      work.then(() => true),
      delay(ms, false, { signal: over.signal }).catch(() => false),
    ]);
  } finally {
    over.abort();
  }
}
