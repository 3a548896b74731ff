import { compareCandidates, type OrderKeys } from './order.js';

const RUN = 12;

/**
 * Sorts `list[from..to)` by `compareCandidates`, in place: short runs by insertion, then merged in pairs. The comparator is
 * called by name, so that the engine can inline it; with the comparator of `TypedArray.prototype.sort` it cannot.
 *
 * @param scratch room for at least as many numbers as `list`.
 */
export function sortCandidates(
  keys: OrderKeys,
  list: Int32Array,
  from: number,
  to: number,
  scratch: Int32Array,
): void {
  for (let start = from; start < to; start += RUN) sortRun(keys, list, start, Math.min(start + RUN, to));
  let source = list;
  let sink = scratch;
  for (let width = RUN; width < to - from; width *= 2) {
    for (let start = from; start < to; start += 2 * width) {
      const middle = Math.min(start + width, to);
      merge(keys, source, sink, start, middle, Math.min(middle + width, to));
    }
    [source, sink] = [sink, source];
  }
  if (source !== list) list.set(source.subarray(from, to), from);
}

function sortRun(keys: OrderKeys, list: Int32Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const moving = list[i]!;
    let place = i;
    for (; place > from && compareCandidates(keys, moving, list[place - 1]!) < 0; place--) {
      list[place] = list[place - 1]!;
    }
    list[place] = moving;
  }
}

function merge(
  keys: OrderKeys,
  source: Int32Array,
  sink: Int32Array,
  from: number,
  middle: number,
  to: number,
): void {
  let left = from;
  let right = middle;
  let place = from;
  while (left < middle && right < to) {
    sink[place++] =
      compareCandidates(keys, source[right]!, source[left]!) < 0 ? source[right++]! : source[left++]!;
  }
  while (left < middle) sink[place++] = source[left++]!;
  while (right < to) sink[place++] = source[right++]!;
}
