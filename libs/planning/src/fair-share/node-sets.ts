import type { Draft } from './draft.js';
import { KeptCosts } from './kept-costs.js';
import { NodeCandidates } from './node-candidates.js';
import { OpenNodes } from './node-costs.js';
import { NodeSet } from './node-set.js';
import { SingleSearch } from './single-search.js';
import type { FairShareSnapshot } from './snapshot/columns.js';
import { hasLabels } from './snapshot/labels.js';

/**
 * The sets of allocations that could go in a stage with victims (steps 5 and 6 of docs/reference/policies/fair-share.md §11), and the node
 * where the least has to go. There may be few kinds of asks, or as many as asks: keeping what nodes cost pays only for kinds that are asked
 * for again.
 */
export class NodeSets {
  private readonly nodes: OpenNodes;
  private readonly candidates: NodeCandidates;
  private readonly set: NodeSet;
  private readonly single: SingleSearch;
  private readonly kept: KeptCosts;
  /** 1 for kinds that were searched for before. */
  private readonly isKnown: Uint8Array;

  constructor(
    private readonly draft: Draft,
    kept: Uint8Array,
    private readonly labels: NodeLabels,
    aggressive: boolean,
  ) {
    this.nodes = new OpenNodes(draft);
    this.candidates = new NodeCandidates(draft, kept, this.nodes.isOpen, aggressive);
    this.set = new NodeSet(draft, this.candidates);
    this.single = new SingleSearch(draft, this.nodes, this.candidates, this.set);
    this.kept = new KeptCosts(draft, this.nodes, this.candidates, this.set);
    this.isKnown = new Uint8Array(draft.judged.snapshot.asks.kindCount);
  }

  /**
   * The node where an ask of this kind starts at the least cost, -1 if no node gives enough.
   *
   * @param served the operation that asks: its own allocations stay.
   */
  best(kind: number, served: number): number {
    if (this.nodes.count === 0) return -1;
    const matching = this.labels.matching(kind);
    const own = this.nodesWithCandidatesOf(served);
    if (this.isKnown[kind] === 1) return this.kept.best(kind, matching, served, own);
    this.isKnown[kind] = 1;
    return this.single.best(kind, matching, served, own);
  }

  /** Who has to go on a node for an ask of this kind, in walking order. */
  membersFor(kind: number, node: number, served: number): readonly number[] {
    this.set.couldGive(kind, node);
    return this.set.members(node, served);
  }

  /** To be called when allocations of an operation that are newer than one are candidates now, or are none any more. */
  regrouped(operation: number, newerThan: number): void {
    const { operations, allocations } = this.draft.judged.snapshot;
    const first = operations.firstAllocation[operation]!;
    for (let i = operations.firstAllocation[operation + 1]! - 1; i >= first; i--) {
      const allocation = operations.byOperation[i]!;
      if (allocation <= newerThan) return;
      const node = allocations.node[allocation]!;
      if (node >= 0 && this.nodes.isOpen[node] === 1) this.changed(node);
    }
  }

  /** To be called when something has started on a node. */
  changed(node: number): void {
    this.candidates.sumUp(node);
    this.kept.changed(node);
  }

  /** To be called when an allocation had to go on a node. */
  use(node: number): void {
    this.nodes.close(node);
  }

  private nodesWithCandidatesOf(operation: number): readonly number[] {
    const { operations, allocations } = this.draft.judged.snapshot;
    const end = operations.firstAllocation[operation + 1]!;
    const nodes: number[] = [];
    for (let i = operations.firstAllocation[operation]!; i < end; i++) {
      const allocation = operations.byOperation[i]!;
      const node = allocations.node[allocation]!;
      if (node >= 0 && this.nodes.isOpen[node] === 1 && this.candidates.mayGo(allocation)) nodes.push(node);
    }
    return nodes;
  }
}

/** Which nodes asks of a kind may start on by their labels; worked out for each set of labels once, when it is first asked. */
export class NodeLabels {
  private readonly known = new Map<string, Uint8Array>();
  private readonly ofKind: (Uint8Array | undefined)[] = [];

  constructor(private readonly snapshot: FairShareSnapshot) {}

  /** 1 for each node that is schedulable and has the labels. */
  matching(kind: number): Uint8Array {
    const found = this.ofKind[kind];
    if (found !== undefined) return found;
    const { nodes, asks } = this.snapshot;
    const labels = asks.labels[kind]!;
    const key = JSON.stringify(labels);
    let matching = this.known.get(key);
    if (matching === undefined) {
      matching = nodes.schedulable.map((schedulable, node) =>
        schedulable === 1 && hasLabels(nodes.labels[node]!, labels) ? 1 : 0,
      );
      this.known.set(key, matching);
    }
    this.ofKind[kind] = matching;
    return matching;
  }
}
