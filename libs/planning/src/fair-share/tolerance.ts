/**
 * Shares and ratios are doubles. One is greater than another where it is greater by more than this; nearer ones are equal.
 * docs/reference/policies/fair-share.md §2
 */
export const SAME_SHARE = 1e-9;

/** Points of the functions of docs/reference/policies/fair-share.md §6 that are nearer than this are one point. */
export const SAME_POINT = 1e-11;

/** A ratio as it is shown, and as it is compared where it is a sort key: nine decimals. */
export function rounded(ratio: number): number {
  return Number.isFinite(ratio) ? Math.round(ratio * 1e9) / 1e9 : ratio;
}

/** The least that a sum of at least these shares may round to: a sum of doubles may be a trifle smaller than its parts together. */
export const leastRounded = (shares: number): number => rounded(shares - 1e-12);
