import type { AmountTable, TypeAmounts } from './amounts.js';

/** Amounts that an application gives to another, one after the other; both by rank in the order of precedence. */
export interface Moves {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** A row for each. */
  readonly amount: AmountTable;
}

/** Moves are written down here one by one: lists that grow for each queue would be a tenth of the garbage of a round. */
export class MoveList {
  private from = new Int32Array(1024);
  private to = new Int32Array(1024);
  private amount = new Float64Array(1024);
  private count = 0;
  private cells = 0;

  add(from: number, to: number, amount: TypeAmounts): void {
    if (this.count === this.from.length) {
      this.from = longer(this.from, new Int32Array(2 * this.count));
      this.to = longer(this.to, new Int32Array(2 * this.count));
    }
    if (this.cells + amount.length > this.amount.length) {
      this.amount = longer(this.amount, new Float64Array(2 * this.cells + amount.length));
    }
    this.from[this.count] = from;
    this.to[this.count] = to;
    for (let place = 0; place < amount.length; place++) this.amount[this.cells + place] = amount[place]!;
    this.count++;
    this.cells += amount.length;
  }

  /** The moves since the last call. */
  drain(): Moves {
    const { count, cells } = this;
    this.count = 0;
    this.cells = 0;
    return {
      from: this.from.slice(0, count),
      to: this.to.slice(0, count),
      amount: this.amount.slice(0, cells),
    };
  }
}

function longer<T extends Int32Array | Float64Array>(short: T, long: T): T {
  long.set(short);
  return long;
}
