import type { Draft } from './draft.js';
import type { NodeCandidates } from './node-candidates.js';
import { NodeCosts, type OpenNodes } from './node-costs.js';
import type { NodeSet } from './node-set.js';
import { leastRounded, rounded } from './tolerance.js';

/** Kinds of asks whose costs are kept at the same time. */
const MOST_KEPT = 200;

/**
 * Searches for kinds of asks that are asked for again and again. It keeps for each kind what nodes cost at least. The set of a node is
 * worked out when it could be the best, and holds until the node is reported to have changed.
 */
export class KeptCosts {
  private readonly kinds = new Map<number, NodeCosts>();
  /** Nodes that have changed, in the order in which they did. */
  private readonly changes: number[] = [];

  constructor(
    private readonly draft: Draft,
    private readonly nodes: OpenNodes,
    private readonly candidates: NodeCandidates,
    private readonly set: NodeSet,
  ) {}

  changed(node: number): void {
    this.changes.push(node);
  }

  /**
   * The node with the cheapest set, -1 where there is none.
   *
   * @param matching by node: 1 where an ask of the kind may start.
   * @param served the operation that asks: its own allocations stay.
   * @param own the nodes where the operation that asks holds candidates.
   */
  best(kind: number, matching: Uint8Array, served: number, own: readonly number[]): number {
    const costs = this.costsOf(kind, matching);
    // Where the operation that asks holds candidates, the sets are different ones, for this once.
    for (const node of own) {
      if (costs.rank[node] !== Number.POSITIVE_INFINITY) this.workOut(costs, kind, node, served);
    }
    const { list } = this.nodes;
    let best = -1;
    let bestRank = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.nodes.count; i++) {
      const node = list[i]!;
      if (costs.rank[node]! > bestRank || !costs.isCheaper(node, best)) continue;
      if (costs.exact[node] === 0) {
        this.workOut(costs, kind, node, -1);
        if (!costs.isCheaper(node, best)) continue;
      }
      best = node;
      bestRank = costs.rank[node]!;
    }
    for (const node of own) this.setLeast(costs, kind, matching, node);
    return best;
  }

  private costsOf(kind: number, matching: Uint8Array): NodeCosts {
    const known = this.kinds.get(kind);
    if (known !== undefined) {
      for (; known.appliedChanges < this.changes.length; known.appliedChanges++) {
        this.setLeast(known, kind, matching, this.changes[known.appliedChanges]!);
      }
      return known;
    }
    const costs = this.forgetOldest() ?? new NodeCosts(this.nodes.isOpen.length);
    const { list, count } = this.nodes;
    for (let i = 0; i < count; i++) this.setLeast(costs, kind, matching, list[i]!);
    costs.appliedChanges = this.changes.length;
    this.kinds.set(kind, costs);
    return costs;
  }

  /** Gives up the kind that has been kept longest. @returns its costs, to be overwritten; null while there is room for more. */
  private forgetOldest(): NodeCosts | null {
    if (this.kinds.size < MOST_KEPT) return null;
    const [kind, costs] = this.kinds.entries().next().value!;
    this.kinds.delete(kind);
    return costs;
  }

  /** Notes what a node costs at least. */
  private setLeast(costs: NodeCosts, kind: number, matching: Uint8Array, node: number): void {
    if (this.nodes.isOpen[node] === 0 || matching[node] === 0 || !this.set.couldGive(kind, node)) {
      costs.exclude(node);
      return;
    }
    const { totals } = this.draft.judged.snapshot;
    const { missing } = this.set;
    let shares = 0;
    for (let type = 0; type < missing.length; type++) {
      if (missing[type]! > 0) shares = Math.max(shares, missing[type]! / totals[type]!);
    }
    const members = this.set.leastMembers(node);
    costs.exact[node] = members === 0 ? 1 : 0;
    costs.rank[node] = members;
    costs.shares[node] = members === 0 ? 0 : leastRounded(shares);
    costs.oldest[node] = members === 0 ? 0 : this.candidates.newest[node]!;
  }

  private workOut(costs: NodeCosts, kind: number, node: number, served: number): void {
    const { set } = this;
    if (!set.couldGive(kind, node) || !set.workOut(node, served)) {
      costs.exclude(node);
      return;
    }
    costs.exact[node] = 1;
    costs.rank[node] = set.rank;
    costs.shares[node] = rounded(set.shares);
    costs.oldest[node] = set.oldest;
  }
}
