import { numberOrder, orderByNumber } from '../../order-by-number.js';

/**
 * The places of `startedAt` from the oldest to the newest; of those that started in the same moment the smaller id is older.
 */
export function orderByAge(startedAt: Float64Array, ids: readonly string[]): Int32Array {
  let earliest = Number.POSITIVE_INFINITY;
  for (const instant of startedAt) if (instant < earliest) earliest = instant;
  const age = startedAt.map((instant) => instant - earliest);
  return orderByNumber(numberOrder(age, ids));
}
