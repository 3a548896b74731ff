/** A rate over all runs of a partition, as a bucket of tokens: each eviction takes one, and they return with time. */
export interface TokenBucket {
  tokens: number;
  /** Milliseconds since it had these tokens. */
  ageMs: number;
}

/** What is taken now, and what stays; or how many there are, and in how many milliseconds there is one. */
export type TokensTaken =
  | { isGranted: true; tokens: number }
  | { isGranted: false; available: number; untilOneMs: number };

/**
 * Takes `wanted` tokens at once, or none. The bucket holds at most those of a second, so that within any period of T seconds at most
 * `perSecond` times (T + 1) are taken. Asked for more than it can hold, it never grants.
 *
 * @param bucket undefined: nothing was taken before, so it is full.
 * @param perSecond a whole number from 1.
 */
export function takeTokens(bucket: TokenBucket | undefined, perSecond: number, wanted: number): TokensTaken {
  const filled = bucket
    ? Math.min(perSecond, bucket.tokens + (Math.max(0, bucket.ageMs) * perSecond) / 1000)
    : perSecond;
  if (filled >= wanted) return { isGranted: true, tokens: filled - wanted };
  const missing = Math.max(0, 1 - filled);
  return {
    isGranted: false,
    available: Math.floor(filled),
    untilOneMs: Math.ceil((missing * 1000) / perSecond),
  };
}

/** The rates that limit a run, in evictions per second; undefined: no such limit. */
export interface EvictionRates {
  victimsPerSecond: number;
  partitionVictimsPerSecond?: number | undefined;
}

/** How long evictions take at least, in whole seconds: the first is ordered at once, the others at the lower of the rates. */
export function secondsToEvict(
  victims: number,
  { victimsPerSecond, partitionVictimsPerSecond }: EvictionRates,
): number {
  const rate = Math.min(victimsPerSecond, partitionVictimsPerSecond ?? Number.POSITIVE_INFINITY);
  return Math.floor(Math.max(0, victims - 1) / rate);
}
