import { denseNumbers } from '../dense-numbers.js';
import { type NumberOrder, numberOrder } from '../order-by-number.js';
import type { AllocationColumns } from './columns.js';

/** The part of the order of victims that all plans of a snapshot have in common. */
export interface AllocationOrder {
  /** The youngest first; of those that started in the same moment the smaller id. */
  readonly byAge: NumberOrder;
  /** By allocation, the number of its priority among all that occur, lower priorities first. */
  readonly priorityNumber: Int32Array;
  readonly priorityCount: number;
}

export function orderAllocations({ startedAt, ids, priority }: AllocationColumns): AllocationOrder {
  const { number: priorityNumber, count: priorityCount } = denseNumbers(priority);
  return { byAge: orderByAge(startedAt, ids), priorityNumber, priorityCount };
}

/** @param startedAt when each started, or what counts as that, in milliseconds since 1970. */
export function orderByAge(startedAt: Float64Array, ids: readonly string[]): NumberOrder {
  let latest = Number.NEGATIVE_INFINITY;
  for (let a = 0; a < startedAt.length; a++) if (startedAt[a]! > latest) latest = startedAt[a]!;
  const age = new Float64Array(startedAt.length);
  for (let a = 0; a < age.length; a++) age[a] = latest - startedAt[a]!;
  return numberOrder(age, ids);
}
