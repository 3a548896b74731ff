import { setTimeout as delay } from 'node:timers/promises';

/** The maximum wait for a discarded client, which may wait for answers over a lost connection. */
const leaveMs = 3000;

/** Disconnects a client, even one that is still connecting; ignores errors, and work that takes longer than `ms`. */
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
