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
