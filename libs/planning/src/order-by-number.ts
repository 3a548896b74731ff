import { numbersTo } from './groups-of.js';
import { StableSort } from './stable-sort.js';

/** Longer lists of equal numbers are left to the engine's sort, a call of which costs as much as sorting a few. */
const FEW = 64;

/** An order: smaller numbers go first, of equal ones the smaller id. */
export interface NumberOrder {
  /** By member. */
  readonly numbers: Float64Array;
  /** Above all of them. */
  readonly limit: number;
  readonly ids: readonly string[];
}

/** @param numbers whole, from 0 on; below 2^53. */
export function numberOrder(numbers: Float64Array, ids: readonly string[]): NumberOrder {
  let largest = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i]! > largest) largest = numbers[i]!;
  return { numbers, limit: largest + 1, ids };
}

/** All members in their order. */
export function orderByNumber(order: NumberOrder): Int32Array {
  const list = numbersTo(order.numbers.length);
  sortByNumber(list, order, new StableSort());
  return list;
}

/** Sorts `list[from..to)` in place. */
export function sortByNumber(
  list: Int32Array,
  { numbers, limit, ids }: NumberOrder,
  sorter: StableSort,
  from = 0,
  to = list.length,
): void {
  sorter.sort(list, numbers, limit, from, to);
  for (let first = from, end = from; first < to; first = end) {
    const number = numbers[list[first]!]!;
    for (end = first + 1; end < to && numbers[list[end]!] === number; ) end++;
    if (end > first + 1) sortById(list, ids, first, end);
  }
}

/** By insertion, where it belongs by bisection: lists are often in order for the most part, and to compare texts is what costs. */
function sortById(list: Int32Array, ids: readonly string[], from: number, to: number): void {
  if (to - from > FEW) {
    list.subarray(from, to).sort((a, b) => (ids[a]! < ids[b]! ? -1 : 1));
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const moving = list[i]!;
    const id = ids[moving]!;
    if (ids[list[i - 1]!]! < id) continue;
    let low = from;
    let high = i - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ids[list[middle]!]! < id) low = middle + 1;
      else high = middle;
    }
    for (let place = i; place > low; place--) list[place] = list[place - 1]!;
    list[low] = moving;
  }
}
