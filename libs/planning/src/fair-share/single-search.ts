import type { Draft } from './draft.js';
import { HEAD, type NodeCandidates } from './node-candidates.js';
import { type OpenNodes, rankOf } from './node-costs.js';
import type { NodeSet } from './node-set.js';
import { leastRounded, rounded } from './tolerance.js';

/** No set has so many members: the candidates of a node do not give what is missing. */
const NONE = 2 ** 24;

/**
 * One search for the node with the cheapest set, which keeps nothing. The last candidate that a walk takes is always a member of the set, so
 * it is the only member if it gives all that is missing. The number of members and their shares follow from few numbers, so that few sets
 * have to be worked out.
 */
export class SingleSearch {
  private readonly cheapest = new Cheapest();
  /** By type, 1 / the total of the cluster, 0 where it has none. */
  private readonly inverse: Float64Array;
  /** By type: what is still missing. */
  private readonly left: Float64Array;
  /** By place in the walk: 1 for candidates that were taken. */
  private readonly isTaken = new Uint8Array(HEAD);
  /** By node: 1 where the operation that asks holds candidates, during a search. */
  private readonly isOwn: Uint8Array;

  constructor(
    private readonly draft: Draft,
    private readonly nodes: OpenNodes,
    private readonly candidates: NodeCandidates,
    private readonly set: NodeSet,
  ) {
    const { totals } = draft.judged.snapshot;
    this.inverse = totals.map((total) => (total > 0 ? 1 / total : 0));
    this.left = new Float64Array(totals.length);
    this.isOwn = new Uint8Array(nodes.isOpen.length);
  }

  /** As `KeptCosts.best`. */
  best(kind: number, matching: Uint8Array, served: number, own: readonly number[]): number {
    for (const node of own) this.isOwn[node] = 1;
    const best = this.search(kind, matching, served);
    for (const node of own) this.isOwn[node] = 0;
    return best;
  }

  private search(kind: number, matching: Uint8Array, served: number): number {
    const { cheapest, inverse } = this;
    const { list, count } = this.nodes;
    const { free } = this.draft;
    const { size } = this.draft.judged.snapshot.asks;
    const { given, greatest } = this.candidates;
    const { missing } = this.set;
    const width = inverse.length;
    const row = kind * width;
    cheapest.clear();
    for (let i = 0; i < count; i++) {
      const node = list[i]!;
      if (matching[node] === 0) continue;
      // The share and the number of members that a set has at least.
      let share = 0;
      let members = 0;
      for (let type = 0; type < width; type++) {
        const asked = size[row + type]!;
        const lacks = asked - free[node * width + type]!;
        missing[type] = 0;
        if (asked === 0 || lacks <= 0) continue;
        missing[type] = lacks;
        members = Math.max(members, lacks > greatest[node * width + type]! ? 2 : 1);
        if (lacks > given[node * width + type]!) members = NONE;
        if (lacks * inverse[type]! > share) share = lacks * inverse[type]!;
      }
      // No one has to go here: of such nodes, the first is the best.
      if (members === 0) return node;
      if (members === NONE || share > cheapest.limitFor(members)) continue;
      if (this.isOwn[node] === 1) this.workOut(node, served);
      else this.check(node, share);
    }
    return cheapest.node;
  }

  /** Offers the set of a node for what is missing there, if it may be the cheapest. `share` is what goes at least. */
  private check(node: number, share: number): void {
    const { cheapest, inverse } = this;
    const { missing } = this.set;
    const { first, end, sums, greatest } = this.candidates;
    const width = missing.length;
    const count = Math.min(HEAD, end[node]! - first[node]!);
    const head = node * (HEAD + 1);
    let last = 0;
    for (let type = 0; type < width && last < count; type++) {
      const lacks = missing[type]!;
      if (lacks > 0) while (last < count && sums[(head + last + 1) * width + type]! < lacks) last++;
    }
    if (last === count) {
      if (cheapest.mayBeat(this.set.leastMembers(node), share, this.candidates.newest[node]!))
        this.workOut(node, -1);
      return;
    }
    // The last one is a member. What it leaves missing shows how many others there are at least, and their share.
    let others = 0;
    let shareOfOthers = 0;
    for (let type = 0; type < width; type++) {
      const lacks =
        missing[type]! - sums[(head + last + 1) * width + type]! + sums[(head + last) * width + type]!;
      if (lacks <= 0) continue;
      others = Math.max(others, Math.ceil(lacks / greatest[node * width + type]!));
      shareOfOthers = Math.max(shareOfOthers, lacks * inverse[type]!);
    }
    const shares = this.candidates.share[node * HEAD + last]! + shareOfOthers;
    if (shares > cheapest.limitFor(1 + others)) return;
    if (others > 0) this.checkSeveral(node, last);
    else cheapest.offer(node, this.rankAt(node, last, 1), shares, this.startAt(node, last));
  }

  /** The rank of a set of so many members whose last one stands at `place` in the walk, if no other is opted out. */
  private rankAt(node: number, place: number, members: number): number {
    const { first, walk, aggressiveFrom } = this.candidates;
    const { optedOut } = this.draft.judged.snapshot.allocations;
    const at = first[node]! + place;
    return rankOf(at >= aggressiveFrom[node]!, optedOut[walk[at]!]!, members);
  }

  private startAt(node: number, place: number): number {
    const { first, walk } = this.candidates;
    return this.draft.judged.snapshot.allocations.startedAt[walk[first[node]! + place]!]!;
  }

  /**
   * As `check`, where the last candidate that the walk takes, the one at `last`, is not enough alone. It chooses as `SetChoice` does, but
   * from sums that are at hand, and only counts.
   */
  private checkSeveral(node: number, last: number): void {
    const { left, isTaken, cheapest } = this;
    const { missing } = this.set;
    const { sums, share } = this.candidates;
    const width = missing.length;
    const head = node * (HEAD + 1);
    for (let type = 0; type < width; type++) left[type] = missing[type]!;
    for (let place = 0; place <= last; place++) {
      const before = (head + place) * width;
      const row = before + width;
      let helps = false;
      for (let type = 0; type < width; type++) {
        if (sums[before + type]! < missing[type]! && sums[row + type]! > sums[before + type]!) helps = true;
      }
      isTaken[place] = helps ? 1 : 0;
      if (!helps) continue;
      for (let type = 0; type < width; type++) left[type]! -= sums[row + type]! - sums[before + type]!;
    }
    let members = 0;
    let shares = 0;
    for (let place = last; place >= 0; place--) {
      if (isTaken[place] === 0) continue;
      const before = (head + place) * width;
      const row = before + width;
      let isNeeded = false;
      for (let type = 0; type < width; type++) {
        const amount = sums[row + type]! - sums[before + type]!;
        if (missing[type]! > 0 && amount > 0 && left[type]! + amount > 0) isNeeded = true;
      }
      if (isNeeded) {
        members++;
        shares += share[node * HEAD + place]!;
        if (shares > cheapest.limitFor(members)) return;
        continue;
      }
      for (let type = 0; type < width; type++) left[type]! += sums[row + type]! - sums[before + type]!;
    }
    const rank = this.rankAt(node, last, members);
    if (cheapest.mayBeat(rank, shares, this.startAt(node, last))) this.workOut(node, -1);
  }

  /** Offers the set of a node for what is missing there. */
  private workOut(node: number, served: number): void {
    const { set } = this;
    if (set.workOut(node, served)) this.cheapest.offer(node, set.rank, set.shares, set.oldest);
  }
}

/** Rounding moves a sum of shares by half of the last decimal at most; a sum of doubles may be a trifle off besides. */
const ROUNDING = 1e-9;

/** The cheapest set that was found, and its node: docs/reference/policies/fair-share.md §11, step 5.3. */
class Cheapest {
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
