import { denseNumbers } from '../dense-numbers.js';
import { type NumberOrder, numberOrder } from '../order-by-number.js';
import type { Writable } from '../writable.js';
import type { AllocationColumns } from './columns.js';

/** `AllocationColumns` with preliminary numbers of types, in the order of the input. */
export interface AllocationsRead extends Writable<AllocationColumns> {
  /** 1 where the allocation names an amount of 0. */
  namesZero: Uint8Array;
}

/** Numbers and priorities that the allocations of a snapshot refer to. */
export interface Named {
  queues: ReadonlyMap<string, number>;
  applications: ReadonlyMap<string, number>;
  priorities: readonly number[];
}

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

/**
 * The place of the first id that is there before; -1 where all are distinct. A hash table of its own that is made as large as it has to
 * be: a `Set` of a hundred thousand texts takes three times as long, since it moves to a larger table seventeen times. All hashes are
 * made first, so that the processor looks up many at a time; one by one it would wait for its memory.
 *
 * @param count how many of the ids count, from the first.
 * @param seed of the hash. Drawn, so that no list of ids can be made up to take long.
 */
export function firstRepeated(
  ids: readonly string[],
  count = ids.length,
  seed = Math.floor(Math.random() * 2 ** 32),
): number {
  const hashes = new Int32Array(count);
  for (let i = 0; i < count; i++) hashes[i] = hashOf(ids[i]!, seed);
  // Place + 1, 0 = free; at most half full.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(8, count * 2))));
  const mask = slots.length - 1;
  for (let i = 0; i < count; i++) {
    const hash = hashes[i]!;
    let slot = (hash ^ (hash >>> 16)) & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const known = slots[slot]! - 1;
      if (hashes[known] === hash && ids[known] === ids[i]) return i;
    }
    slots[slot] = i + 1;
  }
  return -1;
}

function hashOf(id: string, seed: number): number {
  let hash = seed | 0;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x9e3779b1) ^ (hash >>> 15);
  return hash;
}
