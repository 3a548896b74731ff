import type { ReadSettings } from '@curtail/contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { Candidates } from './candidates.js';
import { typeDistances } from './distance.js';
import { numberNodes, placeByNode } from './node-places.js';
import { type OrderKeys, orderKeysOf } from './order.js';
import { type PackedOrder, packOrder, sortPacked } from './packed-order.js';
import { sortCandidates } from './sort.js';
import type { Target } from './target.js';

/** The candidates of each leaf in the order of docs/reference/policies/quota-decrease.md §5, sorted when first asked for. */
export class LeafOrders {
  readonly keys: OrderKeys;
  private readonly classKeys: OrderKeys;
  private readonly nodes: ReturnType<typeof numberNodes> | null;
  private readonly packed: PackedOrder | null;
  private readonly scratch: Int32Array;
  private readonly isSorted: Uint8Array;

  constructor(
    snapshot: QueueSnapshot,
    target: Target,
    private readonly candidates: Candidates,
    settings: ReadSettings,
  ) {
    const byTypes = settings.victimOrder === 'closest-match';
    const distance = byTypes ? typeDistances(snapshot, target, candidates.list) : null;
    this.nodes = settings.nodeAware ? numberNodes(snapshot) : null;
    const places = this.nodes === null ? null : { place: new Int32Array(snapshot.allocations.count) };
    this.classKeys = orderKeysOf(snapshot, distance, null);
    this.keys = orderKeysOf(snapshot, distance, places);
    this.packed = packOrder(this.keys, candidates.list);
    this.scratch = new Int32Array(candidates.list.length);
    this.isSorted = new Uint8Array(snapshot.queues.count);
  }

  /** Sorts `list[from..to)`, candidates of any leaves. */
  sort(list: Int32Array, from = 0, to = list.length): void {
    if (this.packed === null) sortCandidates(this.keys, list, from, to, this.scratch);
    else sortPacked(this.packed, this.keys, list, from, to, this.scratch);
  }

  /** The candidates of a leaf in whatever order they stand now. */
  unsorted(leaf: number): Int32Array {
    return this.candidates.list.subarray(this.candidates.first[leaf]!, this.candidates.last[leaf]!);
  }

  of(leaf: number): Int32Array {
    const { list, first, last } = this.candidates;
    const from = first[leaf]!;
    const to = last[leaf]!;
    if (this.isSorted[leaf] === 0) {
      if (this.nodes !== null && this.keys.nodes !== null) {
        sortCandidates(this.classKeys, list, from, to, this.scratch);
        placeByNode(this.nodes, this.classKeys, list.subarray(from, to), this.keys.nodes.place);
      }
      this.sort(list, from, to);
      this.isSorted[leaf] = 1;
    }
    return list.subarray(from, to);
  }
}
