/** What a whole listing would remove of the running allocations of its partition. */
export interface Drop {
  /** So many are in none of its pages. */
  drops: number;
  /** So many ran when its first page came. */
  of: number;
  /** So many of `drops` are missing in the listing that is held as well; undefined: none is held. */
  alsoMissingBefore: number | undefined;
}

/** Of so few allocations any part may end in a moment. */
const fewest = 20;

/**
 * Whether a whole listing has to be confirmed before it is applied: it would remove more than `percent` of more than 20 running
 * allocations. One that comes after a listing that is held is judged by what it would remove beyond that one: what both lack is
 * confirmed.
 */
export function isTooMany({ drops, of, alsoMissingBefore = 0 }: Drop, percent: number): boolean {
  return of > fewest && (drops - alsoMissingBefore) * 100 > percent * of;
}
