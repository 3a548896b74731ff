import type { Draft } from './draft.js';
import { AGGRESSIVE, PLAIN } from './groups.js';

/**
 * Most sets end among the first candidates of a node. What is needed of these stands close together, because reading from places far apart
 * takes longer than computing.
 */
export const HEAD = 16;

/**
 * By node, the allocations that could go in a stage with victims (steps 5 and 6 of docs/reference/policies/fair-share.md §11), in walking
 * order, with what they give together up to each of them. They only get fewer during a stage, since allocations only move to safer groups.
 */
export class NodeCandidates {
  /** The candidates of node n stand in `walk` from `first[n]` below `end[n]`, aggressive ones from `aggressiveFrom[n]` on. */
  readonly first: Int32Array;
  readonly walk: Int32Array;
  readonly aggressiveFrom: Int32Array;
  readonly end: Int32Array;
  /**
   * By node, what its first candidates give together, by type: none of them, one, up to HEAD. Sums are exact, as all that is used is
   * checked to be below 2^53.
   */
  readonly sums: Float64Array;
  /** By node and its first HEAD candidates, the dominant share of each. */
  readonly share: Float64Array;
  /** By node and type: what all candidates give, and the most that one of them gives. */
  readonly given: Float64Array;
  readonly greatest: Float64Array;
  /** By node: the start of its newest candidate. */
  readonly newest: Float64Array;
  /** Those that were candidates at first: not opted out before opted out, newer first, from `first[n]` below `first[n + 1]`. */
  private readonly members: Int32Array;

  /** @param open by node, as `isOpen` of `OpenNodes`. */
  constructor(
    private readonly draft: Draft,
    private readonly kept: Uint8Array,
    open: Uint8Array,
    private readonly aggressive: boolean,
  ) {
    const { nodes, allocations, types } = draft.judged.snapshot;
    const width = types.length;
    this.first = new Int32Array(nodes.count + 1);
    this.members = new Int32Array(nodes.byNode.length);
    this.walk = new Int32Array(nodes.byNode.length);
    this.aggressiveFrom = new Int32Array(nodes.count);
    this.end = new Int32Array(nodes.count);
    this.sums = new Float64Array(nodes.count * (HEAD + 1) * width);
    this.share = new Float64Array(nodes.count * HEAD);
    this.given = new Float64Array(nodes.count * width);
    this.greatest = new Float64Array(nodes.count * width);
    this.newest = new Float64Array(nodes.count);
    const optedOut: number[] = [];
    let count = 0;
    for (let node = 0; node < nodes.count; node++) {
      let optedOutCount = 0;
      const end = open[node] === 1 ? nodes.firstAllocation[node + 1]! : 0;
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

  /** Whether an allocation may go now. */
  mayGo(allocation: number): boolean {
    const { snapshot, settings } = this.draft.judged;
    if (!this.isInGroup(allocation)) return false;
    return (
      settings.allowPreemptionFromStarvingOperations ||
      !this.draft.starvedAtFirst(snapshot.allocations.operation[allocation]!)
    );
  }

  /** To be called when allocations on a node may have changed their group. */
  sumUp(node: number): void {
    const { groups } = this.draft;
    const [first, last] = [this.first[node]!, this.first[node + 1]!];
    let plain = first;
    // The aggressive ones gather from the far end on, the wrong way round.
    let aggressive = last;
    for (let i = first; i < last; i++) {
      const allocation = this.members[i]!;
      if (!this.mayGo(allocation)) continue;
      if (groups.of(allocation) === PLAIN) this.walk[plain++] = allocation;
      else this.walk[--aggressive] = allocation;
    }
    this.walk.subarray(aggressive, last).reverse();
    this.walk.copyWithin(plain, aggressive, last);
    this.aggressiveFrom[node] = plain;
    this.end[node] = plain + last - aggressive;
    this.addSizes(node);
  }

  /** The largest share that an allocation has of what the cluster has of a type. */
  dominantShare(allocation: number): number {
    const { allocations, totals } = this.draft.judged.snapshot;
    const width = totals.length;
    let share = 0;
    for (let type = 0; type < width; type++) {
      const amount = allocations.size[allocation * width + type]!;
      if (amount > 0 && totals[type]! > 0) share = Math.max(share, amount / totals[type]!);
    }
    return share;
  }

  private addSizes(node: number): void {
    const { allocations, types } = this.draft.judged.snapshot;
    const { walk, given, greatest } = this;
    const { size, startedAt } = allocations;
    const width = types.length;
    const row = node * width;
    const first = this.first[node]!;
    const end = this.end[node]!;
    given.fill(0, row, row + width);
    greatest.fill(0, row, row + width);
    this.newest[node] = Number.NEGATIVE_INFINITY;
    for (let at = first; at < end; at++) {
      const from = walk[at]! * width;
      if (startedAt[walk[at]!]! > this.newest[node]!) this.newest[node] = startedAt[walk[at]!]!;
      for (let type = 0; type < width; type++) {
        const amount = size[from + type]!;
        given[row + type]! += amount;
        if (amount > greatest[row + type]!) greatest[row + type] = amount;
      }
      if (at - first >= HEAD) continue;
      this.share[node * HEAD + at - first] = this.dominantShare(walk[at]!);
      const sums = (node * (HEAD + 1) + at - first + 1) * width;
      for (let type = 0; type < width; type++) this.sums[sums + type] = given[row + type]!;
    }
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
}
