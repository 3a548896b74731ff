import type { StartOrder } from './start-order.js';

/**
 * Items of operations, the first in the order of starts at the top: a binary heap whose members can be found again when their
 * operation has another place. Items of one operation come in the order of their numbers.
 *
 * Each item keeps the satisfaction by which it got its place: several of one operation change together, and while the first of
 * them is moved the others still have to stand where they belong.
 */
export class StartQueue {
  private size = 0;

  /**
   * @param items those that wait, in any order; the queue keeps them here.
   * @param place by item: where it is, -1 = nowhere.
   * @param satisfaction by item. Queues that have no item in common may share both.
   * @param operationOf by item.
   */
  constructor(
    private readonly order: StartOrder,
    private readonly items: Int32Array,
    private readonly place: Int32Array,
    private readonly satisfaction: Float64Array,
    private readonly operationOf: (item: number) => number,
  ) {
    this.size = items.length;
    items.forEach((item, at) => {
      place[item] = at;
      satisfaction[item] = order.satisfaction[operationOf(item)]!;
    });
    for (let at = (this.size >> 1) - 1; at >= 0; at--) this.sink(at);
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** The first of all; there has to be one. */
  get top(): number {
    return this.items[0]!;
  }

  remove(item: number): void {
    const at = this.place[item]!;
    if (at < 0) return;
    this.place[item] = -1;
    const last = this.items[--this.size]!;
    if (last === item) return;
    this.put(last, at);
    this.settle(last);
  }

  /** Finds the place of an item again, after its operation has moved. */
  moved(item: number): void {
    if (this.place[item]! < 0) return;
    this.satisfaction[item] = this.order.satisfaction[this.operationOf(item)]!;
    this.settle(item);
  }

  private settle(item: number): void {
    this.rise(this.place[item]!);
    this.sink(this.place[item]!);
  }

  private isBefore(a: number, b: number): boolean {
    const left = this.operationOf(a);
    const right = this.operationOf(b);
    if (left === right && this.satisfaction[a] === this.satisfaction[b]) return a < b;
    return this.order.isBeforeWith(this.satisfaction[a]!, left, this.satisfaction[b]!, right);
  }

  private put(item: number, at: number): void {
    this.items[at] = item;
    this.place[item] = at;
  }

  private rise(at: number): void {
    const item = this.items[at]!;
    let hole = at;
    while (hole > 0) {
      const above = (hole - 1) >> 1;
      if (!this.isBefore(item, this.items[above]!)) break;
      this.put(this.items[above]!, hole);
      hole = above;
    }
    this.put(item, hole);
  }

  private sink(at: number): void {
    const item = this.items[at]!;
    let hole = at;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.isBefore(this.items[child + 1]!, this.items[child]!)) child++;
      if (!this.isBefore(this.items[child]!, item)) break;
      this.put(this.items[child]!, hole);
      hole = child;
    }
    this.put(item, hole);
  }
}
