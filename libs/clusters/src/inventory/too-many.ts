/** The running allocations of a partition that a whole listing would remove. */
export interface Drop {
  /** The number of allocations that are in none of its pages. */
  drops: number;
  /** The number of allocations that ran when its first page arrived. */
  of: number;
  /** How many of `drops` the held listing lacks as well; undefined: none is held. */
  alsoMissingBefore: number | undefined;
}

/** Any share of this few allocations may end within a moment. */
const fewest = 20;

/**
 * Whether a whole listing must be confirmed before it is applied: it would remove more than `percent` of more than 20 running
 * allocations. After a held listing, only the allocations that the held one still had count: those that both lack are confirmed.
 */
export function isTooMany({ drops, of, alsoMissingBefore = 0 }: Drop, percent: number): boolean {
  return of > fewest && (drops - alsoMissingBefore) * 100 > percent * of;
}
