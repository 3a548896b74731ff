import { leastRounded, rounded } from './tolerance.js';

/** Rounding moves a sum of shares by half of the last decimal at most; a sum of doubles may be a trifle off besides. */
const ROUNDING = 1e-9;

/** The cheapest set that was found, and its node: docs/reference/policies/fair-share.md §11, step 5.3. */
export class Cheapest {
  /** -1 = none. */
  node = -1;
  rank = Number.POSITIVE_INFINITY;
  /** The sum of the dominant shares of the members. */
  private shares = 0;
  /** The start of the oldest member. */
  private oldest = 0;

  clear(): void {
    this.node = -1;
    this.rank = Number.POSITIVE_INFINITY;
  }

  /** The share, before it is rounded, above which no set of at least so many members is the cheapest. */
  limitFor(members: number): number {
    if (this.rank > members) return Number.POSITIVE_INFINITY;
    return this.rank === members ? this.shares + ROUNDING : -1;
  }

  /** False if a set that costs at least this much cannot be the cheapest. @param oldest the latest start that its oldest member may have. */
  mayBeat(rank: number, shares: number, oldest: number): boolean {
    if (rank !== this.rank) return rank < this.rank;
    if (shares > this.shares + ROUNDING) return false;
    return oldest > this.oldest || leastRounded(shares) < this.shares;
  }

  /** Nodes are offered in their order: of sets that cost the same the first stays. */
  offer(node: number, rank: number, shares: number, oldest: number): void {
    if (rank > this.rank) return;
    const sum = rounded(shares);
    if (rank === this.rank) {
      if (sum > this.shares || (sum === this.shares && oldest <= this.oldest)) return;
    }
    this.node = node;
    this.rank = rank;
    this.shares = sum;
    this.oldest = oldest;
  }
}
