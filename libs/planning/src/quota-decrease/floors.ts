import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { largestAmounts } from './share-out.js';
import type { Target } from './target.js';

/**
 * The amount that every queue may still give before it is at its guaranteed amount: docs/reference/policies/quota-decrease.md §6.1. Only
 * queues with a guaranteed amount above 0 are checked; nothing else can be refused. By the setting `guaranteedTypes` only types of the
 * target are.
 */
export class Floors {
  /** used - taken - guaranteed by queue and type; may be below 0 from the start. */
  private readonly slack: Float64Array;
  /** The queue itself or the nearest one above it that has a floor; -1 = none. */
  private readonly nearest: Int32Array;
  private readonly width: number;
  private readonly largest: Float64Array;
  /** By queue and type, of the types that are checked; 0 or less: not checked. */
  private readonly guaranteed: Float64Array;

  /** @param only the target whose types are checked; null: all types are. */
  constructor(
    private readonly snapshot: QueueSnapshot,
    only: Pick<Target, 'placeOfType'> | null = null,
  ) {
    const { count, parent, usage, inFlight } = snapshot.queues;
    this.width = snapshot.types.length;
    const guaranteed = only === null ? snapshot.queues.guaranteed : this.ofTypes(only.placeOfType);
    this.guaranteed = guaranteed;
    this.largest = largestAmounts(snapshot);
    this.slack = new Float64Array(count * this.width);
    this.nearest = new Int32Array(count).fill(-1);
    for (let q = 0; q < count; q++) {
      const above = parent[q]!;
      if (above >= 0) this.nearest[q] = this.nearest[above]!;
      for (let cell = q * this.width; cell < (q + 1) * this.width; cell++) {
        if (guaranteed[cell]! <= 0) continue;
        this.slack[cell] = usage[cell]! - inFlight[cell]! - guaranteed[cell]!;
        this.nearest[q] = q;
      }
    }
  }

  private ofTypes(placeOfType: Int32Array): Float64Array {
    return this.snapshot.queues.guaranteed.map((amount, cell) =>
      placeOfType[cell % this.width]! < 0 ? 0 : amount,
    );
  }

  /** Whether any queue of the chain of a leaf has a floor. */
  guards(leaf: number): boolean {
    return this.nearest[leaf]! >= 0;
  }

  /** False where every floor of the chain of a leaf leaves as much as any allocation uses. */
  mayRefuse(leaf: number): boolean {
    const { guaranteed } = this;
    for (let q = this.nearest[leaf]!; q >= 0; q = this.next(q)) {
      for (let type = 0; type < this.width; type++) {
        const cell = q * this.width + type;
        if (guaranteed[cell]! > 0 && this.slack[cell]! < this.largest[type]!) return true;
      }
    }
    return false;
  }

  /**
   * The cell (queue and type) that would fall below its floor if the allocation went now: the lowest queue, its first type.
   * -1 if it may go.
   */
  refusingCell(allocation: number): number {
    const { queue, size, firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    const of = size[allocation]!;
    return this.cellRefusing(
      queue[allocation]!,
      entryType,
      entryAmount,
      firstEntry[of]!,
      firstEntry[of + 1]!,
    );
  }

  /** The same for amounts of a leaf: those from `from` below `end`, each of another type. */
  cellRefusing(
    leaf: number,
    entryType: Int32Array,
    entryAmount: Float64Array,
    from: number,
    end: number,
  ): number {
    const { guaranteed } = this;
    for (let q = this.nearest[leaf]!; q >= 0; q = this.next(q)) {
      for (let e = from; e < end; e++) {
        const cell = q * this.width + entryType[e]!;
        if (guaranteed[cell]! > 0 && this.slack[cell]! < entryAmount[e]!) return cell;
      }
    }
    return -1;
  }

  slackOf(cell: number): number {
    return this.slack[cell]!;
  }

  take(allocation: number): void {
    this.move(allocation, -1);
  }

  giveBack(allocation: number): void {
    this.move(allocation, 1);
  }

  private move(allocation: number, sign: 1 | -1): void {
    const { queue, size, firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    for (let q = this.nearest[queue[allocation]!]!; q >= 0; q = this.next(q)) {
      for (let e = firstEntry[size[allocation]!]!, end = firstEntry[size[allocation]! + 1]!; e < end; e++) {
        this.slack[q * this.width + entryType[e]!]! += sign * entryAmount[e]!;
      }
    }
  }

  private next(queue: number): number {
    const above = this.snapshot.queues.parent[queue]!;
    return above < 0 ? -1 : this.nearest[above]!;
  }
}
