/** An eviction that an agent has carried out: this one, or one before it. */
export interface PastEviction {
  allocation: string;
  graceSeconds: number;
}

/** Returns past evictions of allocations that may still run, each at least once; later calls return what has come to be known since. */
export type PastEvictions = () => Promise<PastEviction[]>;
