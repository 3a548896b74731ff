import { setMaxListeners } from 'node:events';
import { CurtailError } from '#contracts/ground';

/** A server did not answer in time. */
export class NoAnswer extends CurtailError {
  readonly code = 'no-answer';
}

/** When to give up work: the first limit counts. */
export interface WaitingLimits {
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
  { ms, signals = [] }: WaitingLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const over = new AbortController();
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) limit.abort(signal.reason);
    // Many wait for one signal, all requests of a client, for instance: Node takes more than ten for a leak.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', () => limit.abort(signal.reason), { signal: over.signal });
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

/**
 * The answer of a server to `ask`. The request is not cut off: the caller ends its connection.
 *
 * @throws NoAnswer after `ms` milliseconds, and the error of `ask` before.
 */
export async function answerWithin<T>(ms: number, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when `signal` aborts, at once if it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
