import { numbersTo } from './groups-of.js';
import { StableSort } from './stable-sort.js';

/**
 * The places of `numbers` from the smallest to the largest; of equal numbers the smaller id goes first.
 *
 * @param numbers whole, from 0 on; below 2^53.
 */
export function orderByNumber(numbers: Float64Array, ids: readonly string[]): Int32Array {
  const order = numbersTo(numbers.length);
  let largest = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i]! > largest) largest = numbers[i]!;
  new StableSort(order.length).sort(order, numbers, largest + 1);
  for (let from = 0, to = 0; from < order.length; from = to) {
    const number = numbers[order[from]!]!;
    for (to = from + 1; to < order.length && numbers[order[to]!] === number; ) to++;
    if (to > from + 1) sortById(order.subarray(from, to), ids);
  }
  return order;
}

/** Of a few, which is most there ever are, by insertion: a call of the engine's sort costs as much as sorting them. */
function sortById(list: Int32Array, ids: readonly string[]): void {
  if (list.length > 12) {
    list.sort((a, b) => (ids[a]! < ids[b]! ? -1 : 1));
    return;
  }
  for (let i = 1; i < list.length; i++) {
    const moving = list[i]!;
    let place = i;
    for (; place > 0 && ids[moving]! < ids[list[place - 1]!]!; place--) list[place] = list[place - 1]!;
    list[place] = moving;
  }
}
