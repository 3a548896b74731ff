import { denseNumbers } from '../dense-numbers.js';
import { orderByNumber } from '../order-by-number.js';
import type { AllocationColumns } from './columns.js';

/** The part of the order of victims that all plans of a snapshot have in common. */
export interface AllocationOrder {
  /** By allocation, its place among the youngest first; of those that started in the same moment the smaller id goes first. */
  readonly ageRank: Float64Array;
  /** By allocation, the number of its priority among all that occur, lower priorities first. */
  readonly priorityNumber: Int32Array;
  readonly priorityCount: number;
}

/** @returns with `youngestFirst`: the allocations in the order of `ageRank`. */
export function orderAllocations({
  startedAt,
  ids,
  priority,
}: AllocationColumns): AllocationOrder & { youngestFirst: Int32Array } {
  const { number: priorityNumber, count: priorityCount } = denseNumbers(priority);
  return { ...orderByAge(startedAt, ids), priorityNumber, priorityCount };
}

/** @param startedAt when each started, or what counts as that, in milliseconds since 1970. */
export function orderByAge(
  startedAt: Float64Array,
  ids: readonly string[],
): { youngestFirst: Int32Array; ageRank: Float64Array } {
  let latest = Number.NEGATIVE_INFINITY;
  for (let a = 0; a < startedAt.length; a++) if (startedAt[a]! > latest) latest = startedAt[a]!;
  const age = new Float64Array(startedAt.length);
  for (let a = 0; a < age.length; a++) age[a] = latest - startedAt[a]!;
  const youngestFirst = orderByNumber(age, ids);
  // The ages have served: their table takes the ranks.
  const ageRank = age;
  for (let rank = 0; rank < ageRank.length; rank++) ageRank[youngestFirst[rank]!] = rank;
  return { youngestFirst, ageRank };
}
