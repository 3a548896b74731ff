/**
 * The places of `startedAt` from the oldest to the newest; of those that started in the same moment the smaller id is older.
 *
 * The times are sorted as numbers that carry their places, which is many times faster than with a comparator; where they
 * span so long that time and place do not fit into one number, a comparator does it.
 */
export function orderByAge(startedAt: Float64Array, ids: readonly string[]): Int32Array {
  const count = startedAt.length;
  let earliest = Number.POSITIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  for (const instant of startedAt) {
    if (instant < earliest) earliest = instant;
    if (instant > latest) latest = instant;
  }
  if ((latest - earliest + 1) * count > Number.MAX_SAFE_INTEGER) {
    return Int32Array.from(startedAt, (_, place) => place).sort(
      (a, b) => startedAt[a]! - startedAt[b]! || (ids[a]! < ids[b]! ? -1 : 1),
    );
  }
  const packed = startedAt.map((instant, place) => (instant - earliest) * count + place).sort();
  const order = Int32Array.from(packed, (number) => number % count);
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && startedAt[order[to]!] === startedAt[order[from]!]) to++;
    if (to > from + 1) order.subarray(from, to).sort((a, b) => (ids[a]! < ids[b]! ? -1 : 1));
    from = to;
  }
  return order;
}
