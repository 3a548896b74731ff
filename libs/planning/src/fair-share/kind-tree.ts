import type { StartOrder } from './start-order.js';
import type { StartQueue } from './start-queue.js';

/** The conditions of a search in the tree: free room by type, and whether a kind may start there otherwise. */
export interface PlaceInTree {
  /** Free amounts from `row` on. */
  readonly free: Float64Array;
  readonly row: number;
  readonly allows: (kind: number) => boolean;
}

/**
 * The kinds of asks that somebody waits for, in the order of the first ask of each: a treap, in which every part knows the least
 * that its kinds ask for of each type. So the first kind that fits somewhere is found without checking those that do not,
 * however many kinds there are. As in the queues, each kind keeps by what it got its place.
 */
export class KindTree {
  private root = -1;
  private readonly left: Int32Array;
  private readonly right: Int32Array;
  /** By kind: 1 = in the tree. */
  private readonly isIn: Uint8Array;
  /** By kind: the greater one stands above. Mixed from the number, so that the same input has the same tree. */
  private readonly height: Uint32Array;
  /** By kind and type: the least that is asked for in its part of the tree. */
  private readonly least: Float64Array;
  /** By kind: its first ask, and the satisfaction of the operation of that. */
  private readonly first: Int32Array;
  private readonly satisfaction: Float64Array;
  /** The two parts that the last split made. */
  private before = -1;
  private after = -1;

  /**
   * @param size what is asked for, by kind and type.
   * @param operationOf by ask.
   */
  constructor(
    private readonly order: StartOrder,
    private readonly queues: readonly StartQueue[],
    private readonly size: Float64Array,
    private readonly width: number,
    private readonly operationOf: Int32Array,
  ) {
    const kinds = queues.length;
    this.left = new Int32Array(kinds).fill(-1);
    this.right = new Int32Array(kinds).fill(-1);
    this.isIn = new Uint8Array(kinds);
    this.height = Uint32Array.from(queues, (_, kind) => mixed(kind));
    this.least = new Float64Array(size.length);
    this.first = new Int32Array(kinds);
    this.satisfaction = new Float64Array(kinds);
    queues.forEach((queue, kind) => {
      if (!queue.isEmpty) this.add(kind);
    });
  }

  /** The first kind that fits in a place and is allowed there, -1 if there is none. */
  firstIn(place: PlaceInTree): number {
    return this.search(this.root, place);
  }

  /** Finds the place of a kind again after its queue has changed, or the place of an operation in that. It goes with its last ask. */
  changed(kind: number): void {
    if (this.isIn[kind] === 0) return;
    const queue = this.queues[kind]!;
    const isSame =
      !queue.isEmpty &&
      queue.top === this.first[kind] &&
      this.satisfactionOf(queue.top) === this.satisfaction[kind];
    if (isSame) return;
    this.isIn[kind] = 0;
    this.root = this.without(this.root, kind);
    if (!queue.isEmpty) this.add(kind);
  }

  private add(kind: number): void {
    const ask = this.queues[kind]!.top;
    this.isIn[kind] = 1;
    this.first[kind] = ask;
    this.satisfaction[kind] = this.satisfactionOf(ask);
    this.root = this.with(this.root, kind);
  }

  private satisfactionOf(ask: number): number {
    return this.order.satisfaction[this.operationOf[ask]!]!;
  }

  private isBefore(a: number, b: number): boolean {
    const left = this.operationOf[this.first[a]!]!;
    const right = this.operationOf[this.first[b]!]!;
    if (left === right && this.satisfaction[a] === this.satisfaction[b])
      return this.first[a]! < this.first[b]!;
    return this.order.isBeforeWith(this.satisfaction[a]!, left, this.satisfaction[b]!, right);
  }

  private search(top: number, place: PlaceInTree): number {
    let part = top;
    while (part >= 0 && fits(this.least, part * this.width, place, this.width)) {
      const found = this.search(this.left[part]!, place);
      if (found >= 0) return found;
      if (fits(this.size, part * this.width, place, this.width) && place.allows(part)) return part;
      part = this.right[part]!;
    }
    return -1;
  }

  private with(top: number, kind: number): number {
    if (top < 0 || this.height[kind]! > this.height[top]!) {
      this.split(top, kind);
      this.left[kind] = this.before;
      this.right[kind] = this.after;
      this.sumUp(kind);
      return kind;
    }
    if (this.isBefore(kind, top)) this.left[top] = this.with(this.left[top]!, kind);
    else this.right[top] = this.with(this.right[top]!, kind);
    this.sumUp(top);
    return top;
  }

  private without(top: number, kind: number): number {
    if (top === kind) return this.merged(this.left[kind]!, this.right[kind]!);
    if (this.isBefore(kind, top)) this.left[top] = this.without(this.left[top]!, kind);
    else this.right[top] = this.without(this.right[top]!, kind);
    this.sumUp(top);
    return top;
  }

  /** Into those before a kind and those after it. */
  private split(top: number, kind: number): void {
    if (top < 0) {
      this.before = -1;
      this.after = -1;
    } else if (this.isBefore(top, kind)) {
      this.split(this.right[top]!, kind);
      this.right[top] = this.before;
      this.sumUp(top);
      this.before = top;
    } else {
      this.split(this.left[top]!, kind);
      this.left[top] = this.after;
      this.sumUp(top);
      this.after = top;
    }
  }

  /** All of `a` come before all of `b`. */
  private merged(a: number, b: number): number {
    if (a < 0) return b;
    if (b < 0) return a;
    if (this.height[a]! > this.height[b]!) {
      this.right[a] = this.merged(this.right[a]!, b);
      this.sumUp(a);
      return a;
    }
    this.left[b] = this.merged(a, this.left[b]!);
    this.sumUp(b);
    return b;
  }

  private sumUp(top: number): void {
    const { width, least, size } = this;
    const [left, right] = [this.left[top]!, this.right[top]!];
    for (let type = 0; type < width; type++) {
      let amount = size[top * width + type]!;
      if (left >= 0 && least[left * width + type]! < amount) amount = least[left * width + type]!;
      if (right >= 0 && least[right * width + type]! < amount) amount = least[right * width + type]!;
      least[top * width + type] = amount;
    }
  }
}

/** A type that is not asked for fits also where more runs than there is. */
function fits(amounts: Float64Array, at: number, { free, row }: PlaceInTree, width: number): boolean {
  for (let type = 0; type < width; type++) {
    const amount = amounts[at + type]!;
    if (amount > 0 && amount > free[row + type]!) return false;
  }
  return true;
}

/** Numbers that follow one another become numbers that appear random. */
function mixed(number: number): number {
  let bits = Math.imul(number + 1, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
