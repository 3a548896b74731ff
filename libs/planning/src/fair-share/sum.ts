import { Points } from './curves.js';
import { SAME_POINT } from './tolerance.js';

/**
 * Adds functions up, two at a time: values are interpolated and added, never taken away again, so that errors do not grow
 * with the number of functions.
 */
export class Sum {
  private now: Points;
  private next: Points;
  private firsts: number[] = [];

  constructor(width: number, capacity: number) {
    this.now = new Points(width, capacity);
    this.next = new Points(width, capacity);
  }

  clear(): void {
    this.now.count = 0;
    this.firsts = [];
  }

  /** One more function: the points of `from` from `first` to before `end`, with their places multiplied by `scale`. */
  add(from: Points, first: number, end: number, scale: number): void {
    const { now } = this;
    const { width } = now;
    now.reserve(end - first);
    this.firsts.push(now.count);
    for (let point = first; point < end; point++) now.x[now.count + point - first] = from.x[point]! * scale;
    now.y.set(from.y.subarray(first * width, end * width), now.count * width);
    now.count += end - first;
  }

  /** The sum of all that was added since it was cleared; valid until then. */
  sum(): Points {
    while (this.firsts.length > 1) {
      const { now, next, firsts } = this;
      next.count = 0;
      next.reserve(now.count);
      const merged: number[] = [];
      for (let run = 0; run < firsts.length; run += 2) {
        merged.push(next.count);
        const middle = firsts[run + 1] ?? now.count;
        const end = firsts[run + 2] ?? now.count;
        addTwo(now, firsts[run]!, middle, end, next);
      }
      this.firsts = merged;
      this.now = next;
      this.next = now;
    }
    return this.now;
  }
}

/** Appends the sum of the functions `[a, b)` and `[b, end)` of `points` to `out`; the second one may be empty. */
function addTwo(points: Points, a: number, b: number, end: number, out: Points): void {
  const { x } = points;
  let left = a;
  let right = b;
  while (left < b || right < end) {
    const place = Math.min(left < b ? x[left]! : Infinity, right < end ? x[right]! : Infinity);
    const leftFirst = left;
    const rightFirst = right;
    while (left < b && x[left]! <= place + SAME_POINT) left++;
    while (right < end && x[right]! <= place + SAME_POINT) right++;
    out.x[out.count] = place;
    setAt(points, place, a, b, leftFirst, left, out.y, out.count);
    addAt(points, place, b, end, rightFirst, right, out.y, out.count);
    out.count++;
    if (left - leftFirst < 2 && right - rightFirst < 2) continue;
    // A jump: once more, with the values from the right.
    out.x[out.count] = place;
    setAt(points, place, a, b, Math.max(leftFirst, left - 1), left, out.y, out.count);
    addAt(points, place, b, end, Math.max(rightFirst, right - 1), right, out.y, out.count);
    out.count++;
  }
}

/**
 * Writes the value of the function `[first, end)` to `sums`: of point `at`, if that is before `next`, else of `place` in front of
 * it or, at the end, behind the last point.
 */
function setAt(
  { width, x, y }: Points,
  place: number,
  first: number,
  end: number,
  at: number,
  next: number,
  sums: Float64Array,
  to: number,
): void {
  const point = at < next || at < end || first === end ? at : at - 1;
  const row = point * width;
  const here = to * width;
  if (first === end) {
    for (let type = 0; type < width; type++) sums[here + type] = 0;
  } else if (at < next || at === end) {
    for (let type = 0; type < width; type++) sums[here + type] = y[row + type]!;
  } else {
    const weight = (place - x[at - 1]!) / (x[at]! - x[at - 1]!);
    for (let type = 0; type < width; type++) {
      const before = y[row - width + type]!;
      sums[here + type] = before + weight * (y[row + type]! - before);
    }
  }
}

/** The same, added to what is there. */
function addAt(
  { width, x, y }: Points,
  place: number,
  first: number,
  end: number,
  at: number,
  next: number,
  sums: Float64Array,
  to: number,
): void {
  if (first === end) return;
  const row = (at < next || at < end ? at : at - 1) * width;
  const here = to * width;
  if (at < next || at === end) {
    for (let type = 0; type < width; type++) sums[here + type]! += y[row + type]!;
  } else {
    const weight = (place - x[at - 1]!) / (x[at]! - x[at - 1]!);
    for (let type = 0; type < width; type++) {
      const before = y[row - width + type]!;
      sums[here + type]! += before + weight * (y[row + type]! - before);
    }
  }
}
