import { setTimeout as delay } from 'node:timers/promises';

/** How long to wait for a client that is given up: it may wait for answers that a lost connection never brings. */
const leaveMs = 3000;

/** Disconnects a client, one that is still connecting included; errors and what takes longer than `ms` are left behind. */
export async function leave(
  client: { disconnect(): Promise<void> } | Promise<{ disconnect(): Promise<void> }> | undefined,
  ms = leaveMs,
): Promise<void> {
  await endsWithin(
    (async () => (await client)?.disconnect())().catch(() => {}),
    ms,
  );
}

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
