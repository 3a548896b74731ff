import { eachTie, placesByRank } from '../../places-by-rank.js';

/**
 * The places of `startedAt` from the oldest to the newest; of those that started in the same moment the smaller id is older.
 */
export function orderByAge(startedAt: Float64Array, ids: readonly string[]): Int32Array {
  let earliest = Number.POSITIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  for (const instant of startedAt) {
    if (instant < earliest) earliest = instant;
    if (instant > latest) latest = instant;
  }
  const byId = (a: number, b: number) => (ids[a]! < ids[b]! ? -1 : 1);
  const ages = startedAt.map((instant) => instant - earliest);
  const order = placesByRank(ages, latest - earliest + 1);
  eachTie(ages, (from, to) => order.subarray(from, to).sort(byId));
  return order;
}
