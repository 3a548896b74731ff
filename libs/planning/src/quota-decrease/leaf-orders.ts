import type { ReadDecreaseSettings } from '#contracts';
import { sortByNumber } from '../order-by-number.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { StableSort } from '../stable-sort.js';
import type { Candidates } from './candidates.js';
import type { LastSaved } from './care/care.js';
import { numberNodes, placeByNode } from './node-places.js';
import { type Classes, classesOf, type OrderKeys, typeDistances } from './order.js';
import type { Target } from './target.js';

/**
 * The candidates of each leaf in the order of docs/reference/policies/quota-decrease.md §5, sorted when first asked for. They stand the
 * youngest first, as in the snapshot, so that a stable sort by class leaves equals in the order of rules 4 and 5.
 */
export class LeafOrders {
  readonly keys: OrderKeys;
  private readonly classes: Classes;
  private readonly nodes: ReturnType<typeof numberNodes> | null;
  private readonly sorter: StableSort;
  private readonly isSorted: Uint8Array;

  constructor(
    private readonly snapshot: QueueSnapshot,
    target: Target,
    private readonly candidates: Candidates,
    settings: ReadDecreaseSettings,
    /** Where rule 4 does not go by the start. */
    private readonly lastSaved: LastSaved | null,
  ) {
    this.nodes = settings.nodeAware ? numberNodes(snapshot) : null;
    this.keys = {
      startedAt: lastSaved?.at ?? snapshot.allocations.startedAt,
      distance: settings.victimOrder === 'closest-match' ? typeDistances(snapshot, target) : null,
      nodePlace: this.nodes === null ? null : new Float64Array(snapshot.allocations.count),
    };
    this.classes = classesOf(snapshot, this.keys, candidates.list);
    this.sorter = new StableSort();
    this.isSorted = new Uint8Array(snapshot.queues.count);
  }

  /** The candidates of a leaf in whatever order they stand now. */
  unsorted(leaf: number): Int32Array {
    return this.candidates.list.subarray(this.candidates.first[leaf]!, this.candidates.last[leaf]!);
  }

  of(leaf: number): Int32Array {
    const ofLeaf = this.unsorted(leaf);
    if (this.isSorted[leaf] === 0) {
      if (this.lastSaved !== null) this.sortByAge(ofLeaf);
      this.sortByClass(ofLeaf);
      if (this.nodes !== null && this.keys.nodePlace !== null) {
        const places = placeByNode(this.nodes, this.classes.of, ofLeaf, this.keys.nodePlace);
        this.sorter.sort(ofLeaf, this.keys.nodePlace, places);
        this.sortByClass(ofLeaf);
      }
      this.isSorted[leaf] = 1;
    }
    return ofLeaf;
  }

  /** Divides victims of any leaves into classes, equal by all rules up to 3: the last of the order first. Those of a class keep their order. */
  *lastClassesFirst(victims: Int32Array): Iterable<Int32Array> {
    const classOf = this.classes.of;
    this.sortByClass(victims);
    for (let from = victims.length, to = from; to > 0; to = from) {
      while (from > 0 && classOf[victims[from - 1]!] === classOf[victims[to - 1]!]) from--;
      yield victims.subarray(from, to);
    }
  }

  /**
   * Sorts victims of one class and any leaves into one order, in place. Where nodes count, they keep theirs.
   *
   * @param victims in the order in which they were taken.
   */
  sortClass(victims: Int32Array): void {
    if (this.nodes === null) this.sortByAge(victims);
  }

  private sortByAge(list: Int32Array): void {
    const { byAge } = this.lastSaved ?? this.snapshot.order;
    sortByNumber(list, byAge, this.sorter);
  }

  private sortByClass(list: Int32Array): void {
    this.sorter.sort(list, this.classes.of, this.classes.limit);
  }
}
