import { Cheapest } from './cheapest.js';
import type { Draft } from './draft.js';
import { HEAD, type NodeCandidates } from './node-candidates.js';
import { rankOf } from './node-costs.js';
import type { NodeSet } from './node-set.js';
import type { OpenNodes } from './open-nodes.js';

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
    const { greatest } = this.candidates;
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
        if (asked === 0 || lacks <= 0) continue;
        if (lacks > greatest[node * width + type]!) members = 2;
        else if (members === 0) members = 1;
        if (lacks * inverse[type]! > share) share = lacks * inverse[type]!;
      }
      // No one has to go here: of such nodes, the first is the best.
      if (members === 0) return node;
      if (share > cheapest.limitFor(members) || !this.set.couldGive(kind, node)) continue;
      if (this.isOwn[node] === 1) this.workOut(node, served);
      else this.check(node, share);
    }
    return cheapest.node;
  }

  /** Offers the set of a node for what is missing there, if it may be the cheapest. `share` is what goes at least. */
  private check(node: number, share: number): void {
    const { cheapest } = this;
    const { missing } = this.set;
    const { first, end, sums, newest } = this.candidates;
    if (cheapest.rank > 1 && !cheapest.mayBeat(this.set.leastMembers(node), share, newest[node]!)) return;
    const width = missing.length;
    const count = Math.min(HEAD, end[node]! - first[node]!);
    const head = node * HEAD;
    let last = 0;
    for (let type = 0; type < width && last < count; type++) {
      const lacks = missing[type]!;
      if (lacks > 0) while (last < count && sums[(head + last) * width + type]! < lacks) last++;
    }
    if (last === count) {
      this.workOut(node, -1);
    } else if (!this.isEnough(node, last)) {
      if (cheapest.rank > 1) this.checkSeveral(node, last);
    } else if (this.candidates.share[head + last]! <= cheapest.limitFor(1)) {
      this.offer(node, last);
    }
  }

  /** Offers the set of a node that has one member, the one at `place` in the walk. */
  private offer(node: number, place: number): void {
    const { first, walk, aggressiveFrom, share } = this.candidates;
    const { optedOut, startedAt } = this.draft.judged.snapshot.allocations;
    const at = first[node]! + place;
    const rank = rankOf(at >= aggressiveFrom[node]!, optedOut[walk[at]!]!, 1);
    this.cheapest.offer(node, rank, share[node * HEAD + place]!, startedAt[walk[at]!]!);
  }

  /**
   * As `check`, where the last candidate that the walk takes, the one at `last`, is not enough alone. It chooses as `SetChoice` does, but
   * from sums that are at hand, and only counts.
   */
  private checkSeveral(node: number, last: number): void {
    const { left, isTaken, cheapest } = this;
    const { missing } = this.set;
    const { first, walk, sums, share, aggressiveFrom } = this.candidates;
    const width = missing.length;
    const head = node * HEAD;
    for (let type = 0; type < width; type++) left[type] = missing[type]!;
    for (let place = 0; place <= last; place++) {
      const row = (head + place) * width;
      let helps = false;
      for (let type = 0; type < width; type++) {
        const before = place === 0 ? 0 : sums[row - width + type]!;
        if (before < missing[type]! && sums[row + type]! > before) helps = true;
      }
      isTaken[place] = helps ? 1 : 0;
      if (!helps) continue;
      for (let type = 0; type < width; type++) {
        left[type]! -= this.amountAt(row + type, place);
      }
    }
    let members = 0;
    let shares = 0;
    for (let place = last; place >= 0; place--) {
      if (isTaken[place] === 0) continue;
      const row = (head + place) * width;
      let isNeeded = false;
      for (let type = 0; type < width; type++) {
        const amount = this.amountAt(row + type, place);
        if (missing[type]! > 0 && amount > 0 && left[type]! + amount > 0) isNeeded = true;
      }
      if (isNeeded) {
        members++;
        shares += share[head + place]!;
        continue;
      }
      for (let type = 0; type < width; type++) {
        left[type]! += this.amountAt(row + type, place);
      }
    }
    const { optedOut, startedAt } = this.draft.judged.snapshot.allocations;
    const at = first[node]! + last;
    const rank = rankOf(at >= aggressiveFrom[node]!, optedOut[walk[at]!]!, members);
    if (cheapest.mayBeat(rank, shares, startedAt[walk[at]!]!)) this.workOut(node, -1);
  }

  /** Whether the candidate at a place in the walk of a node gives all that is missing alone. */
  private isEnough(node: number, place: number): boolean {
    const { missing } = this.set;
    const width = missing.length;
    const row = (node * HEAD + place) * width;
    for (let type = 0; type < width; type++) {
      if (this.amountAt(row + type, place) < missing[type]!) return false;
    }
    return true;
  }

  /** What the candidate at a place in the walk gives of one type; `cell` is where its sum stands. */
  private amountAt(cell: number, place: number): number {
    const { sums } = this.candidates;
    return sums[cell]! - (place === 0 ? 0 : sums[cell - this.set.missing.length]!);
  }

  /** Offers the set of a node for what is missing there. */
  private workOut(node: number, served: number): void {
    const { set } = this;
    if (set.workOut(node, served)) this.cheapest.offer(node, set.rank, set.shares, set.oldest);
  }
}
