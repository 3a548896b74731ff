/**
 * What it costs to start an ask of one kind on each node (docs/policies/fair-share.md §11, step 5.3): who has to go. Until the set
 * of a node is worked out, it is what it costs at least.
 */
export class NodeCosts {
  /** Aggressive members before hinted ones before the number of members, in one number; Infinity: it cannot start there. */
  readonly rank: Float64Array;
  /** The sum of the dominant shares of the members. */
  readonly shares: Float64Array;
  /** The start of the oldest member. */
  readonly oldest: Float64Array;
  /** 1 where the set was worked out. */
  readonly exact: Uint8Array;
  /** How many changes of nodes are taken into account. */
  heard = 0;

  constructor(nodes: number) {
    this.rank = new Float64Array(nodes).fill(Number.POSITIVE_INFINITY);
    this.shares = new Float64Array(nodes);
    this.oldest = new Float64Array(nodes);
    this.exact = new Uint8Array(nodes);
  }

  set(node: number, { rank, shares, oldest }: NodeCost, exact: 0 | 1): void {
    this.rank[node] = rank;
    this.shares[node] = shares;
    this.oldest[node] = oldest;
    this.exact[node] = exact;
  }

  /** It cannot start there. */
  exclude(node: number): void {
    this.rank[node] = Number.POSITIVE_INFINITY;
  }

  /** Whether a node costs less than `best`. Of nodes that cost the same the smaller one is best. */
  isCheaper(node: number, best: NodeCost): boolean {
    const rank = this.rank[node]!;
    if (rank !== best.rank) return rank < best.rank;
    if (rank === Number.POSITIVE_INFINITY) return false;
    if (this.shares[node] !== best.shares) return this.shares[node]! < best.shares;
    if (this.oldest[node] !== best.oldest) return this.oldest[node]! > best.oldest;
    return node < best.node;
  }

  read(node: number, into: NodeCost): void {
    into.node = node;
    into.rank = this.rank[node]!;
    into.shares = this.shares[node]!;
    into.oldest = this.oldest[node]!;
  }
}

export interface NodeCost {
  node: number;
  rank: number;
  shares: number;
  oldest: number;
}

export function noNode(): NodeCost {
  return { node: -1, rank: Number.POSITIVE_INFINITY, shares: 0, oldest: 0 };
}

/** No node runs so many allocations. */
const MANY = 2 ** 24;

export function rankOf(aggressive: boolean, hinted: number, members: number): number {
  return ((aggressive ? MANY : 0) + hinted) * MANY + members;
}
