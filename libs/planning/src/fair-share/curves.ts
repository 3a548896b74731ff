import { SAME_POINT } from './tolerance.js';

/**
 * A piecewise linear function of one variable with a value for each resource type, none of which ever falls, as a list of
 * points. Two points at one place are a jump, and at the place of a jump the value from the left holds. Behind the last point
 * the value stays. Many functions stand in one list, each from a first point to an end.
 */
export class Points {
  count = 0;
  /** The place. */
  x: Float64Array;
  /** The place that this one stands for in the function that this one was made from: see `grow`. */
  from: Float64Array;
  /** `y[point * width + type]` */
  y: Float64Array;

  constructor(
    readonly width: number,
    capacity: number,
  ) {
    this.x = new Float64Array(capacity);
    this.from = new Float64Array(capacity);
    this.y = new Float64Array(capacity * width);
  }

  reserve(more: number): void {
    if (this.count + more <= this.x.length) return;
    const capacity = Math.max(this.count + more, this.x.length * 2);
    const longer = (column: Float64Array, length: number): Float64Array => {
      const other = new Float64Array(length);
      other.set(column);
      return other;
    };
    this.x = longer(this.x, capacity);
    this.from = longer(this.from, capacity);
    this.y = longer(this.y, capacity * this.width);
  }

  /** The first point that is at `x` or behind it, taken for the same within SAME_POINT; `end` where there is none. */
  firstAt(x: number, first: number, end: number): number {
    let low = first;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.x[middle]! < x - SAME_POINT) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where between point `at - 1` and point `at` the place `x` is, 0 to 1; 1 at the point itself. */
  weightAt(x: number, at: number): number {
    if (this.x[at]! <= x + SAME_POINT) return 1;
    return (x - this.x[at - 1]!) / (this.x[at]! - this.x[at - 1]!);
  }

  /** Writes the value at `x` of the function from `first` to `end` to `out[to]` and on, and gives `from` at `x`. */
  read(x: number, first: number, end: number, out: Float64Array, to: number): number {
    const { width, y, from } = this;
    let at = this.firstAt(x, first, end);
    let weight = 1;
    if (at === end) at = end - 1;
    else if (at > first) weight = this.weightAt(x, at);
    const right = at * width;
    if (weight === 1) {
      for (let type = 0; type < width; type++) out[to + type] = y[right + type]!;
      return from[at]!;
    }
    const left = right - width;
    for (let type = 0; type < width; type++) {
      out[to + type] = y[left + type]! + weight * (y[right + type]! - y[left + type]!);
    }
    return from[at - 1]! + weight * (from[at]! - from[at - 1]!);
  }
}
