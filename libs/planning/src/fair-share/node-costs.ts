import type { Draft } from './draft.js';
import { isInBackOff } from './overcommit-step.js';

/**
 * The cost of starting an ask of one kind on each node (docs/reference/policies/fair-share.md §11, step 5.3): who has to go. Until the set
 * of a node is worked out, it is the least that it may cost.
 */
export class NodeCosts {
  /** Aggressive members before opted-out ones before the number of members, in one number; Infinity: it cannot start there. */
  readonly rank: Float64Array;
  /** The sum of the dominant shares of the members. */
  readonly shares: Float64Array;
  /** The start of the oldest member. */
  readonly oldest: Float64Array;
  /** 1 where the set was worked out. */
  readonly exact: Uint8Array;
  /** How many changes of nodes are taken into account. */
  appliedChanges = 0;

  constructor(nodes: number) {
    this.rank = new Float64Array(nodes).fill(Number.POSITIVE_INFINITY);
    this.shares = new Float64Array(nodes);
    this.oldest = new Float64Array(nodes);
    this.exact = new Uint8Array(nodes);
  }

  /** It cannot start there. */
  exclude(node: number): void {
    this.rank[node] = Number.POSITIVE_INFINITY;
  }

  /** Whether a node costs less than another one, or no node (-1). Of two that cost the same the smaller one comes first. */
  isCheaper(node: number, other: number): boolean {
    const rank = this.rank[node]!;
    if (rank === Number.POSITIVE_INFINITY) return false;
    if (other < 0) return true;
    if (rank !== this.rank[other]) return rank < this.rank[other]!;
    if (this.shares[node] !== this.shares[other]) return this.shares[node]! < this.shares[other]!;
    if (this.oldest[node] !== this.oldest[other]) return this.oldest[node]! > this.oldest[other]!;
    return node < other;
  }
}

/** No node runs so many allocations. */
const MANY = 2 ** 24;

export function rankOf(aggressive: boolean, optedOut: number, members: number): number {
  return ((aggressive ? MANY : 0) + optedOut) * MANY + members;
}

/** The nodes where no one had to go in this plan, and that are schedulable and in no back-off. */
export class OpenNodes {
  /** 1 for each of them. */
  readonly isOpen: Uint8Array;
  /** The first `count` entries are these nodes, in their order. */
  readonly list: Int32Array;
  count: number;

  constructor(draft: Draft) {
    this.isOpen = draft.judged.snapshot.nodes.schedulable.map((schedulable, node) =>
      schedulable === 1 && draft.used[node] === 0 && !isInBackOff(draft, node) ? 1 : 0,
    );
    this.list = Int32Array.from(this.isOpen, (_, node) => node).filter((node) => this.isOpen[node] === 1);
    this.count = this.list.length;
  }

  /** To be called when an allocation had to go on a node. */
  close(node: number): void {
    this.isOpen[node] = 0;
    const at = this.list.indexOf(node);
    this.list.copyWithin(at, at + 1, this.count--);
  }
}
