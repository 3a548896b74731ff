/** When to give up work: the first limit counts. */
export interface Limits {
  /** Milliseconds from now on. */
  ms?: number | undefined;
  signals?: readonly (AbortSignal | undefined)[];
}

/**
 * Does `work` with a signal that aborts after `ms` with a `TimeoutError`, or with one of `signals` and its reason. The promise then
 * rejects, whether or not `work` observes the signal.
 *
 * It replaces `AbortSignal.any` and `AbortSignal.timeout`: in Node 20 the garbage collector may free their signals while a caller
 * listens to them, and the link between `fetch` and any signal after the headers have arrived.
 */
export async function within<T>(
  { ms, signals = [] }: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const over = new AbortController();
  for (const signal of signals) {
    if (signal?.aborted) limit.abort(signal.reason);
    signal?.addEventListener('abort', () => limit.abort(signal.reason), { signal: over.signal });
  }
  const tooLong = () => limit.abort(new DOMException(`not done within ${ms} ms`, 'TimeoutError'));
  const timer = ms === undefined ? undefined : setTimeout(tooLong, ms);
  const givenUp = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { signal: over.signal });
    if (limit.signal.aborted) reject(limit.signal.reason);
  });
  try {
    return await Promise.race([work(limit.signal), givenUp]);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
