import { SetChoice } from './choose-set.js';
import type { Draft } from './draft.js';
import { AGGRESSIVE } from './groups.js';
import type { NodeCandidates } from './node-candidates.js';
import { rankOf } from './node-costs.js';

/** Who has to go on one node for an ask, and what that costs. It is overwritten for the next node. */
export class NodeSet {
  /** By type: what is missing on the node. */
  readonly missing: Float64Array;
  /** The cost of the set that was worked out last, as in `NodeCosts`, but for the shares, which are not rounded. */
  rank = 0;
  shares = 0;
  oldest = 0;
  private readonly choice: SetChoice;

  constructor(
    private readonly draft: Draft,
    private readonly candidates: NodeCandidates,
  ) {
    const { allocations, types } = draft.judged.snapshot;
    this.missing = new Float64Array(types.length);
    this.choice = new SetChoice(types.length, allocations.size);
  }

  /** Sets `missing` for a kind of ask; false where all candidates together do not give it. */
  couldGive(kind: number, node: number): boolean {
    const { size } = this.draft.judged.snapshot.asks;
    const { free } = this.draft;
    const { given } = this.candidates;
    const { missing } = this;
    const width = missing.length;
    for (let type = 0; type < width; type++) {
      const asked = size[kind * width + type]!;
      const lacks = asked === 0 ? 0 : Math.max(0, asked - free[node * width + type]!);
      if (lacks > given[node * width + type]!) return false;
      missing[type] = lacks;
    }
    return true;
  }

  /** The number of members that a set for what is missing has at least. */
  leastMembers(node: number): number {
    const { missing } = this;
    const { greatest } = this.candidates;
    const width = missing.length;
    let members = 0;
    for (let type = 0; type < width; type++) {
      if (missing[type] === 0) continue;
      members = Math.max(members, Math.ceil(missing[type]! / greatest[node * width + type]!));
    }
    return members;
  }

  /**
   * Chooses the set for what is missing on the node, and works out what it costs; false where there is none.
   *
   * @param served the operation that asks, whose own allocations stay; -1 for any that has none there.
   */
  workOut(node: number, served: number): boolean {
    if (!this.choose(node, served)) return false;
    const { optedOut, startedAt } = this.draft.judged.snapshot.allocations;
    const { members, count } = this.choice;
    let aggressive = false;
    let optedOutCount = 0;
    this.shares = 0;
    this.oldest = count === 0 ? 0 : Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const member = members[i]!;
      if (this.draft.groups.of(member) === AGGRESSIVE) aggressive = true;
      optedOutCount += optedOut[member]!;
      this.shares += this.candidates.dominantShare(member);
      if (startedAt[member]! < this.oldest) this.oldest = startedAt[member]!;
    }
    this.rank = rankOf(aggressive, optedOutCount, count);
    return true;
  }

  /** The members of the set for what is missing on the node, in walking order. */
  members(node: number, served: number): readonly number[] {
    this.choose(node, served);
    return this.choice.chosen();
  }

  private choose(node: number, served: number): boolean {
    const { operation } = this.draft.judged.snapshot.allocations;
    const { first, walk, end } = this.candidates;
    this.choice.begin(this.missing);
    for (let at = first[node]!; at < end[node]! && !this.choice.isDone; at++) {
      const candidate = walk[at]!;
      if (operation[candidate] !== served) this.choice.offer(candidate);
    }
    return this.choice.end();
  }
}
