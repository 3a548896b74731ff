import type { StartOrder } from './start-order.js';
import type { StartQueue } from './start-queue.js';

/**
 * The kinds of asks that fit on a node, the one whose first ask comes first at the top: a binary heap. As in the queues, each
 * kind keeps by what it got its place.
 */
export class KindHeap {
  private size = 0;
  private readonly items: Int32Array;
  /** By kind: where it is, -1 = nowhere. */
  private readonly place: Int32Array;

  /** By kind: its first ask, and the satisfaction of the operation of that. */
  private readonly first: Int32Array;
  private readonly satisfaction: Float64Array;

  /** @param operationOf by ask. */
  constructor(
    private readonly order: StartOrder,
    private readonly queues: readonly StartQueue[],
    private readonly operationOf: Int32Array,
  ) {
    this.items = new Int32Array(queues.length);
    this.place = new Int32Array(queues.length).fill(-1);
    this.first = new Int32Array(queues.length);
    this.satisfaction = new Float64Array(queues.length);
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** The first of all; there has to be one. */
  get top(): number {
    return this.items[0]!;
  }

  clear(): void {
    for (let i = 0; i < this.size; i++) this.place[this.items[i]!] = -1;
    this.size = 0;
  }

  /** Adds a kind anywhere; `arrange` has to follow. */
  add(kind: number): void {
    this.note(kind);
    this.put(kind, this.size++);
  }

  arrange(): void {
    for (let at = (this.size >> 1) - 1; at >= 0; at--) this.sink(at);
  }

  remove(kind: number): void {
    const at = this.place[kind]!;
    if (at < 0) return;
    this.place[kind] = -1;
    const last = this.items[--this.size]!;
    if (last === kind) return;
    this.put(last, at);
    this.settle(last);
  }

  /** Finds the place of a kind anew, after its first operation has changed or moved. */
  moved(kind: number): void {
    if (this.place[kind]! < 0) return;
    this.note(kind);
    this.settle(kind);
  }

  private note(kind: number): void {
    const ask = this.queues[kind]!.top;
    this.first[kind] = ask;
    this.satisfaction[kind] = this.order.satisfaction[this.operationOf[ask]!]!;
  }

  private settle(kind: number): void {
    this.rise(this.place[kind]!);
    this.sink(this.place[kind]!);
  }

  private isBefore(a: number, b: number): boolean {
    const left = this.operationOf[this.first[a]!]!;
    const right = this.operationOf[this.first[b]!]!;
    if (left === right && this.satisfaction[a] === this.satisfaction[b])
      return this.first[a]! < this.first[b]!;
    return this.order.isBeforeWith(this.satisfaction[a]!, left, this.satisfaction[b]!, right);
  }

  private put(kind: number, at: number): void {
    this.items[at] = kind;
    this.place[kind] = at;
  }

  private rise(at: number): void {
    const kind = this.items[at]!;
    let hole = at;
    while (hole > 0) {
      const above = (hole - 1) >> 1;
      if (!this.isBefore(kind, this.items[above]!)) break;
      this.put(this.items[above]!, hole);
      hole = above;
    }
    this.put(kind, hole);
  }

  private sink(at: number): void {
    const kind = this.items[at]!;
    let hole = at;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.isBefore(this.items[child + 1]!, this.items[child]!)) child++;
      if (!this.isBefore(this.items[child]!, kind)) break;
      this.put(this.items[child]!, hole);
      hole = child;
    }
    this.put(kind, hole);
  }
}
