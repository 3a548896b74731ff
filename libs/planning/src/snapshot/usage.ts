import { InputError } from '#contracts';
import { typePath } from './amounts.js';
import { type AllocationColumns, type QueueColumns, RUNNING } from './columns.js';

/**
 * The usage of every queue and all below it, and the part of it that is in flight. An exact sum above 2^53 - 1 is an error: its
 * path is the allocation with which the sum of the queue passes it.
 */
export function sumUsage(
  queues: QueueColumns,
  allocations: AllocationColumns,
  types: readonly string[],
): { usage: Float64Array; inFlight: Float64Array } {
  const width = types.length;
  const usage = new Float64Array(queues.count * width);
  const inFlight = new Float64Array(queues.count * width);
  const { count, queue, state, size, firstEntry, entryType, entryAmount } = allocations;
  for (let a = 0; a < count; a++) {
    const row = queue[a]! * width;
    const leaving = state[a] !== RUNNING;
    for (let e = firstEntry[size[a]!]!, end = firstEntry[size[a]! + 1]!; e < end; e++) {
      const cell = row + entryType[e]!;
      usage[cell]! += entryAmount[e]!;
      if (leaving) inFlight[cell]! += entryAmount[e]!;
    }
  }
  for (let q = queues.count - 1; q >= 0; q--) {
    const above = queues.parent[q]!;
    for (let type = 0; type < width; type++) {
      const amount = usage[q * width + type]!;
      // Once past the limit a sum stays past it, rounded or not, since nothing is ever subtracted.
      if (amount > Number.MAX_SAFE_INTEGER) throw overflow(queues, allocations, types, q, type);
      if (above < 0) continue;
      usage[above * width + type]! += amount;
      inFlight[above * width + type]! += inFlight[q * width + type]!;
    }
  }
  return { usage, inFlight };
}

function overflow(
  queues: QueueColumns,
  allocations: AllocationColumns,
  types: readonly string[],
  queue: number,
  type: number,
): InputError {
  const { count, queue: queueOf, size, firstEntry, entryType, entryAmount } = allocations;
  let sum = 0;
  let a = 0;
  for (; a < count && sum <= Number.MAX_SAFE_INTEGER; a++) {
    if (queueOf[a]! < queue || queueOf[a]! >= queues.end[queue]!) continue;
    for (let e = firstEntry[size[a]!]!, end = firstEntry[size[a]! + 1]!; e < end; e++) {
      if (entryType[e] === type) sum += entryAmount[e]!;
    }
  }
  return new InputError(
    typePath(`allocations[${a - 1}].resources`, types[type]!),
    `with it the usage of queue ${queues.paths[queue]} passes ${Number.MAX_SAFE_INTEGER} (2^53 - 1); it must stay below`,
  );
}
