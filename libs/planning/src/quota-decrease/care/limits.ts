import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { largestAmounts } from '../share-out.js';
import type { QueueLimit } from './queue-columns.js';

/** The amounts taken from the queues that have a limit: docs/reference/policies/victim-care.md 8.5. */
export class Limits {
  /** By queue: its place among those with a limit, -1 = none. */
  private readonly row: Int32Array;
  /** The queue itself or the nearest one above it that has a limit; -1 = none. */
  private readonly nearest: Int32Array;
  /** By row and type; Infinity = no limit. */
  private readonly most: Float64Array;
  private readonly taken: Float64Array;
  private readonly width: number;
  private readonly largest: Float64Array;

  constructor(
    private readonly snapshot: QueueSnapshot,
    limits: readonly (QueueLimit | undefined)[],
  ) {
    const { count, parent } = snapshot.queues;
    this.width = snapshot.types.length;
    this.largest = largestAmounts(snapshot);
    this.row = new Int32Array(count).fill(-1);
    this.nearest = new Int32Array(count).fill(-1);
    let rows = 0;
    for (let q = 0; q < count; q++) {
      if (limits[q] !== undefined) this.row[q] = rows++;
      this.nearest[q] = limits[q] !== undefined ? q : parent[q]! < 0 ? -1 : this.nearest[parent[q]!]!;
    }
    this.most = new Float64Array(rows * this.width).fill(Number.POSITIVE_INFINITY);
    this.taken = new Float64Array(rows * this.width);
    for (let q = 0; q < count; q++) {
      limits[q]?.type.forEach((type, i) => {
        this.most[this.row[q]! * this.width + type] = limits[q]!.amount[i]!;
      });
    }
  }

  /** The lowest queue of the chain of a leaf that refuses amounts, -1 = none: those from `from` below `end`, each of another type. */
  refusing(leaf: number, type: Int32Array, amount: Float64Array, from: number, end: number): number {
    for (let q = this.nearest[leaf]!; q >= 0; q = this.next(q)) {
      for (let e = from; e < end; e++) {
        const cell = this.row[q]! * this.width + type[e]!;
        if (this.taken[cell]! + amount[e]! > this.most[cell]!) return q;
      }
    }
    return -1;
  }

  /** False where every limit of the chain of a leaf leaves as much as any allocation uses. */
  mayRefuse(leaf: number): boolean {
    for (let q = this.nearest[leaf]!; q >= 0; q = this.next(q)) {
      for (let type = 0; type < this.width; type++) {
        const cell = this.row[q]! * this.width + type;
        if (this.taken[cell]! + this.largest[type]! > this.most[cell]!) return true;
      }
    }
    return false;
  }

  /** Whether any queue of the chain of a leaf has a limit. */
  bounds(leaf: number): boolean {
    return this.nearest[leaf]! >= 0;
  }

  /** Whether several queues of the chain of a leaf have a limit. */
  hasSeveral(leaf: number): boolean {
    return this.nearest[leaf]! >= 0 && this.next(this.nearest[leaf]!) >= 0;
  }

  mostOf(queue: number, type: number): number {
    return this.row[queue]! < 0 ? Number.POSITIVE_INFINITY : this.most[this.row[queue]! * this.width + type]!;
  }

  takenFrom(queue: number, type: number): number {
    return this.row[queue]! < 0 ? 0 : this.taken[this.row[queue]! * this.width + type]!;
  }

  /** The part of an amount that the queue may still give; `type` -1 = one that nothing in the snapshot has. */
  leaves(queue: number, type: number, amount: number): number {
    if (this.row[queue]! < 0 || type < 0) return amount;
    return Math.max(0, Math.min(amount, this.mostOf(queue, type) - this.takenFrom(queue, type)));
  }

  /** The same for the queue and all above it. */
  leavesInChain(queue: number, type: number, amount: number): number {
    let left = amount;
    for (let q = this.nearest[queue]!; q >= 0; q = this.next(q)) left = this.leaves(q, type, left);
    return left;
  }

  /** @param sign 1 for a victim, -1 for one that is given back. */
  count(allocation: number, sign: 1 | -1): void {
    const { queue, size, firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    for (let q = this.nearest[queue[allocation]!]!; q >= 0; q = this.next(q)) {
      for (let e = firstEntry[size[allocation]!]!, end = firstEntry[size[allocation]! + 1]!; e < end; e++) {
        this.taken[this.row[q]! * this.width + entryType[e]!]! += sign * entryAmount[e]!;
      }
    }
  }

  private next(queue: number): number {
    const above = this.snapshot.queues.parent[queue]!;
    return above < 0 ? -1 : this.nearest[above]!;
  }
}
