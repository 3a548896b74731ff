import { SetChoice } from './choose-set.js';
import type { Draft } from './draft.js';
import { AGGRESSIVE, PLAIN } from './groups.js';
import { NodeCosts, rankOf } from './node-costs.js';
import type { NodeLabels } from './node-labels.js';
import { isInBackOff } from './overcommit-step.js';
import { rounded } from './tolerance.js';

/** Kinds of asks whose costs are kept at the same time. */
const MOST_KEPT = 200;

/**
 * The sets of allocations that could go in a stage with victims (steps 5 and 6 of docs/reference/policies/fair-share.md §11), and the node
 * where the least has to go. For each kind of ask it is kept what nodes cost at least; the set of a node is worked out when it could be
 * the best, and holds until the node is reported to have changed.
 */
export class NodeSets {
  /** The candidates of node n, not opted out before opted out, newer first: `members[i]` from `first[n]` below `first[n + 1]`. */
  private readonly first: Int32Array;
  private readonly members: Int32Array;
  /** Those of them that may go now, as the last check of the node found: plain before aggressive, up to `end[n]`. */
  private readonly walk: Int32Array;
  private readonly end: Int32Array;
  /** The amounts that the candidates of a node give, and the most that one of them gives, by node and type; the start of the newest. */
  private readonly given: Float64Array;
  private readonly greatest: Float64Array;
  private readonly newest: Float64Array;
  private readonly kinds = new Map<number, NodeCosts>();
  /** Nodes that have changed, in the order in which they did. */
  private readonly changes: number[] = [];
  /** By allocation: its dominant share, 0 until it is wanted. */
  private readonly dominant: Float64Array;
  private readonly missing: Float64Array;
  private readonly choice: SetChoice;
  /** 1 for nodes where no one had to go in this plan, and that are schedulable and in no back-off. */
  private readonly open: Uint8Array;
  private readonly openNodes: Int32Array;
  private openCount: number;

  constructor(
    private readonly draft: Draft,
    private readonly kept: Uint8Array,
    private readonly labels: NodeLabels,
    private readonly aggressive: boolean,
  ) {
    const { nodes, allocations, types } = draft.judged.snapshot;
    const width = types.length;
    this.dominant = new Float64Array(allocations.count);
    this.missing = new Float64Array(width);
    this.choice = new SetChoice(width, allocations.size);
    this.given = new Float64Array(nodes.count * width);
    this.greatest = new Float64Array(nodes.count * width);
    this.newest = new Float64Array(nodes.count);
    this.first = new Int32Array(nodes.count + 1);
    this.members = new Int32Array(nodes.byNode.length);
    this.walk = new Int32Array(nodes.byNode.length);
    this.end = new Int32Array(nodes.count);
    this.open = nodes.schedulable.map((schedulable, node) =>
      schedulable === 1 && draft.used[node] === 0 && !isInBackOff(draft, node) ? 1 : 0,
    );
    this.openNodes = Int32Array.from(this.open, (_, node) => node).filter((node) => this.open[node] === 1);
    this.openCount = this.openNodes.length;
    const optedOut: number[] = [];
    let count = 0;
    for (let node = 0; node < nodes.count; node++) {
      let optedOutCount = 0;
      const end = this.open[node] === 1 ? nodes.firstAllocation[node + 1]! : 0;
      for (let i = nodes.firstAllocation[node]!; i < end; i++) {
        const allocation = nodes.byNode[i]!;
        if (!this.isInGroup(allocation)) continue;
        if (allocations.optedOut[allocation] === 1) optedOut[optedOutCount++] = allocation;
        else this.members[count++] = allocation;
      }
      for (let i = 0; i < optedOutCount; i++) this.members[count++] = optedOut[i]!;
      this.first[node + 1] = count;
      this.sumUp(node);
    }
  }

  /**
   * The node where an ask of this kind starts at the least cost, -1 if no node gives enough.
   *
   * @param served the operation that asks: its own allocations stay.
   */
  best(kind: number, served: number): number {
    if (this.openCount === 0) return -1;
    const costs = this.costsOf(kind);
    const own = this.nodesWithCandidatesOf(served);
    // Where it holds candidates itself their sets are others, for this once.
    for (const node of own) {
      if (costs.rank[node] === Number.POSITIVE_INFINITY) continue;
      this.workOut(costs, kind, node, served);
    }
    const { openNodes } = this;
    let best = -1;
    let bestRank = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.openCount; i++) {
      const node = openNodes[i]!;
      if (costs.rank[node]! > bestRank || !costs.isCheaper(node, best)) continue;
      if (costs.exact[node] === 0) {
        this.workOut(costs, kind, node, -1);
        if (!costs.isCheaper(node, best)) continue;
      }
      best = node;
      bestRank = costs.rank[node]!;
    }
    for (const node of own) this.setLeast(costs, kind, node);
    return best;
  }

  /** Who has to go on a node for an ask of this kind, in walking order. */
  membersFor(kind: number, node: number, served: number): readonly number[] {
    this.choose(kind, node, served);
    return this.choice.chosen();
  }

  /** To be called when allocations of an operation that are newer than one are candidates now, or are none any more. */
  regrouped(operation: number, newerThan: number): void {
    const { operations, allocations } = this.draft.judged.snapshot;
    const first = operations.firstAllocation[operation]!;
    for (let i = operations.firstAllocation[operation + 1]! - 1; i >= first; i--) {
      const allocation = operations.byOperation[i]!;
      if (allocation <= newerThan) return;
      const node = allocations.node[allocation]!;
      if (node >= 0 && this.open[node] === 1) this.changed(node);
    }
  }

  /** To be called when something has started on a node. */
  changed(node: number): void {
    this.sumUp(node);
    this.changes.push(node);
  }

  /** To be called when an allocation had to go on a node. */
  use(node: number): void {
    this.open[node] = 0;
    const at = this.openNodes.indexOf(node);
    this.openNodes.copyWithin(at, at + 1, this.openCount--);
  }

  private costsOf(kind: number): NodeCosts {
    const known = this.kinds.get(kind);
    if (known !== undefined) {
      for (; known.appliedChanges < this.changes.length; known.appliedChanges++) {
        this.setLeast(known, kind, this.changes[known.appliedChanges]!);
      }
      return known;
    }
    const costs = this.forgetOldest() ?? new NodeCosts(this.open.length);
    for (let i = 0; i < this.openCount; i++) this.setLeast(costs, kind, this.openNodes[i]!);
    costs.appliedChanges = this.changes.length;
    this.kinds.set(kind, costs);
    return costs;
  }

  /** Gives what was kept of the kind that was asked for first, to be written again, once there are enough. */
  private forgetOldest(): NodeCosts | null {
    if (this.kinds.size < MOST_KEPT) return null;
    const [kind, costs] = this.kinds.entries().next().value!;
    this.kinds.delete(kind);
    return costs;
  }

  /** Notes what a node costs at least. */
  private setLeast(costs: NodeCosts, kind: number, node: number): void {
    if (this.open[node] === 0 || this.labels.matching(kind)[node] === 0 || !this.couldGive(kind, node)) {
      costs.exclude(node);
      return;
    }
    const { totals } = this.draft.judged.snapshot;
    const width = this.missing.length;
    let members = 0;
    let shares = 0;
    for (let type = 0; type < width; type++) {
      const lacks = this.missing[type]!;
      if (lacks === 0) continue;
      members = Math.max(members, Math.ceil(lacks / this.greatest[node * width + type]!));
      shares = Math.max(shares, lacks / totals[type]!);
    }
    costs.exact[node] = members === 0 ? 1 : 0;
    costs.rank[node] = members;
    // A sum of doubles may be a trifle smaller than what it is the sum of.
    costs.shares[node] = members === 0 ? 0 : rounded(shares - 1e-12);
    costs.oldest[node] = members === 0 ? 0 : this.newest[node]!;
  }

  private nodesWithCandidatesOf(operation: number): readonly number[] {
    const { operations, allocations } = this.draft.judged.snapshot;
    const nodes: number[] = [];
    for (
      let i = operations.firstAllocation[operation]!;
      i < operations.firstAllocation[operation + 1]!;
      i++
    ) {
      const allocation = operations.byOperation[i]!;
      const node = allocations.node[allocation]!;
      if (node >= 0 && this.open[node] === 1 && this.mayGo(allocation)) nodes.push(node);
    }
    return nodes;
  }

  /** Whether an allocation is a candidate of this stage, for any that is starving. */
  private isInGroup(allocation: number): boolean {
    const { draft, kept, aggressive } = this;
    if (kept[allocation]! > 0 || draft.gone[allocation] === 1) return false;
    const { snapshot, effective } = draft.judged;
    const element = snapshot.pools.count + snapshot.allocations.operation[allocation]!;
    const group = draft.groups.of(allocation);
    if (group === PLAIN) return aggressive || effective.allowNormal[element] === 1;
    return aggressive && group === AGGRESSIVE && effective.allowAggressive[element] === 1;
  }

  private mayGo(allocation: number): boolean {
    const { snapshot, settings } = this.draft.judged;
    if (!this.isInGroup(allocation)) return false;
    return (
      settings.allowPreemptionFromStarvingOperations ||
      !this.draft.starvedAtFirst(snapshot.allocations.operation[allocation]!)
    );
  }

  private sumUp(node: number): void {
    const { allocations, types } = this.draft.judged.snapshot;
    const { groups } = this.draft;
    const width = types.length;
    const row = node * width;
    this.given.fill(0, row, row + width);
    this.greatest.fill(0, row, row + width);
    this.newest[node] = Number.NEGATIVE_INFINITY;
    const [first, last] = [this.first[node]!, this.first[node + 1]!];
    let plain = first;
    // The aggressive ones gather from the far end on, the wrong way round.
    let aggressive = last;
    for (let i = first; i < last; i++) {
      const allocation = this.members[i]!;
      if (!this.mayGo(allocation)) continue;
      if (groups.of(allocation) === PLAIN) this.walk[plain++] = allocation;
      else this.walk[--aggressive] = allocation;
      if (allocations.startedAt[allocation]! > this.newest[node]!) {
        this.newest[node] = allocations.startedAt[allocation]!;
      }
      for (let type = 0; type < width; type++) {
        const amount = allocations.size[allocation * width + type]!;
        this.given[row + type]! += amount;
        if (amount > this.greatest[row + type]!) this.greatest[row + type] = amount;
      }
    }
    this.walk.subarray(aggressive, last).reverse();
    this.walk.copyWithin(plain, aggressive, last);
    this.end[node] = plain + last - aggressive;
  }

  /** Sets `missing`; false where all candidates together do not give it. */
  private couldGive(kind: number, node: number): boolean {
    const { asks } = this.draft.judged.snapshot;
    const { free } = this.draft;
    const width = this.missing.length;
    for (let type = 0; type < width; type++) {
      const asked = asks.size[kind * width + type]!;
      const lacks = asked === 0 ? 0 : Math.max(0, asked - free[node * width + type]!);
      if (lacks > this.given[node * width + type]!) return false;
      this.missing[type] = lacks;
    }
    return true;
  }

  private choose(kind: number, node: number, served: number): boolean {
    if (!this.couldGive(kind, node)) return false;
    const { operation } = this.draft.judged.snapshot.allocations;
    const end = this.end[node]!;
    this.choice.begin(this.missing);
    for (let i = this.first[node]!; i < end && !this.choice.isDone; i++) {
      const candidate = this.walk[i]!;
      if (operation[candidate] !== served) this.choice.offer(candidate);
    }
    return this.choice.end();
  }

  private workOut(costs: NodeCosts, kind: number, node: number, served: number): void {
    if (!this.choose(kind, node, served)) {
      costs.exclude(node);
      return;
    }
    const { optedOut, startedAt } = this.draft.judged.snapshot.allocations;
    const { members, count } = this.choice;
    let aggressive = false;
    let optedOutCount = 0;
    let shares = 0;
    let oldest = count === 0 ? 0 : Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const member = members[i]!;
      if (this.draft.groups.of(member) === AGGRESSIVE) aggressive = true;
      optedOutCount += optedOut[member]!;
      shares += this.dominantShare(member);
      if (startedAt[member]! < oldest) oldest = startedAt[member]!;
    }
    costs.exact[node] = 1;
    costs.rank[node] = rankOf(aggressive, optedOutCount, count);
    costs.shares[node] = rounded(shares);
    costs.oldest[node] = oldest;
  }

  private dominantShare(allocation: number): number {
    const { allocations, totals } = this.draft.judged.snapshot;
    const width = totals.length;
    let share = this.dominant[allocation]!;
    if (share > 0) return share;
    for (let type = 0; type < width; type++) {
      const amount = allocations.size[allocation * width + type]!;
      if (amount > 0 && totals[type]! > 0) share = Math.max(share, amount / totals[type]!);
    }
    this.dominant[allocation] = share;
    return share;
  }
}
