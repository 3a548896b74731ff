import { denseNumbers } from '../dense-numbers.js';
import { type NumberOrder, numberOrder } from '../order-by-number.js';
import type { Writable } from '../writable.js';
import type { AllocationColumns, AllocationTexts } from './columns.js';

/** `AllocationColumns` with preliminary numbers of types, in the order of the input. */
export interface AllocationsRead extends Writable<AllocationColumns> {
  texts: Writable<AllocationTexts>;
  /** By `idHash`. */
  idHashes: Int32Array;
  /** 1 where the allocation names an amount of 0. */
  namesZero: Uint8Array;
}

/** Numbers and priorities that the allocations of a snapshot refer to. */
export interface Named {
  queues: ReadonlyMap<string, number>;
  applications: ReadonlyMap<string, number>;
  applicationIds: readonly string[];
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

/** @param age as of `orderByAge`. */
export function orderAllocations(
  { startedAt, ids, priority }: Pick<AllocationColumns, 'startedAt' | 'ids' | 'priority'>,
  age: Float64Array,
): AllocationOrder {
  const { number: priorityNumber, count: priorityCount } = denseNumbers(priority);
  return { byAge: orderByAge(startedAt, ids, age), priorityNumber, priorityCount };
}

/**
 * @param startedAt when each started, or what counts as that, in milliseconds since 1970.
 * @param age becomes a column of the order.
 */
export function orderByAge(
  startedAt: Float64Array,
  ids: readonly string[],
  age: Float64Array = new Float64Array(startedAt.length),
): NumberOrder {
  let latest = Number.NEGATIVE_INFINITY;
  for (let a = 0; a < startedAt.length; a++) if (startedAt[a]! > latest) latest = startedAt[a]!;
  for (let a = 0; a < age.length; a++) age[a] = latest - startedAt[a]!;
  return numberOrder(age, ids);
}

/** Of `idHash`. Drawn, so that no list of ids can be made up to take long. */
const seed = Math.floor(Math.random() * 2 ** 32) | 0;

/** A number that equal ids have in common in this process, and others hardly ever. */
export function idHash(id: string): number {
  let hash = seed;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x9e3779b1) ^ (hash >>> 15);
  return hash ^ (hash >>> 16);
}

/**
 * The place of the first id that is there before; -1 where all are distinct. Two bits for each id tell which ones may be there twice: they
 * stay in the processor's caches, as a table of a hundred thousand ids does not, and few ids have to be compared.
 *
 * @param hashes by place, the `idHash` of each id; they end where the ids do that count.
 */
export function firstRepeated(ids: readonly string[], hashes: Int32Array): number {
  // At least 16 bits for each id.
  const bits = 2 ** Math.ceil(Math.log2(Math.max(32, hashes.length * 16)));
  const once = new Int32Array(bits / 32);
  const again = new Int32Array(bits / 32);
  for (let i = 0; i < hashes.length; i++) {
    const word = (hashes[i]! & (bits - 1)) >>> 5;
    const bit = 1 << hashes[i]!;
    if ((once[word]! & bit) === 0) once[word]! |= bit;
    else again[word]! |= bit;
  }
  const seen = new Set<string>();
  for (let i = 0; i < hashes.length; i++) {
    if ((again[(hashes[i]! & (bits - 1)) >>> 5]! & (1 << hashes[i]!)) === 0) continue;
    if (seen.has(ids[i]!)) return i;
    seen.add(ids[i]!);
  }
  return -1;
}
