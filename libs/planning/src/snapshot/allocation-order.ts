import { denseNumbers } from '../dense-numbers.js';
import { orderByNumber } from '../order-by-number.js';
import type { AllocationColumns } from './columns.js';

/** What the orders of victims of all plans of a snapshot have in common. */
export interface AllocationOrder {
  /** Allocations from the youngest to the oldest; of those that started in the same moment the smaller id goes first. */
  readonly youngestFirst: Int32Array;
  /** By allocation, its place among the youngest first. */
  readonly ageRank: Float64Array;
  /** By allocation, the number of its priority among all that occur, lower priorities first. */
  readonly priorityNumber: Int32Array;
  readonly priorityCount: number;
}

export function orderAllocations({ startedAt, ids, priority }: AllocationColumns): AllocationOrder {
  let latest = Number.NEGATIVE_INFINITY;
  for (let a = 0; a < startedAt.length; a++) if (startedAt[a]! > latest) latest = startedAt[a]!;
  const age = new Float64Array(startedAt.length);
  for (let a = 0; a < age.length; a++) age[a] = latest - startedAt[a]!;
  const youngestFirst = orderByNumber(age, ids);
  // The ages have served: their table takes the ranks.
  const ageRank = age;
  for (let rank = 0; rank < ageRank.length; rank++) ageRank[youngestFirst[rank]!] = rank;
  const { number: priorityNumber, count: priorityCount } = denseNumbers(priority);
  return { youngestFirst, ageRank, priorityNumber, priorityCount };
}
