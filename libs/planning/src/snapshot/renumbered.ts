import type { AllocationColumns } from './columns.js';

/**
 * The same allocations with other numbers, so that loops over them read the memory in sequence.
 *
 * @param places by new number, the number until now.
 */
export function renumbered(
  allocations: AllocationColumns,
  places: Int32Array,
): AllocationColumns & { inputPlace: Int32Array } {
  const { count, sizeCount, firstEntry, entryType, entryAmount } = allocations;
  return {
    count,
    inputPlace: places,
    ids: values(allocations.ids, places),
    texts: allocations.texts,
    application: numbers(allocations.application, places),
    queue: numbers(allocations.queue, places),
    priority: renumberedAmounts(allocations.priority, places),
    startedAt: renumberedAmounts(allocations.startedAt, places),
    role: marks(allocations.role, places),
    optedOut: marks(allocations.optedOut, places),
    protected: marks(allocations.protected, places),
    state: marks(allocations.state, places),
    lastJobStartedAt: rareValues(allocations.lastJobStartedAt, places),
    interruptible: rareValues(allocations.interruptible, places),
    budgets: rareValues(allocations.budgets, places),
    checkpointedAt: rareValues(allocations.checkpointedAt, places),
    size: numbers(allocations.size, places),
    sizeCount,
    firstEntry,
    entryType,
    entryAmount,
  };
}

/** The numbers of allocations in the order of the input, so that the first of several errors is reported. */
export function inInputOrder(inputPlace: Int32Array): Int32Array {
  const numbers = new Int32Array(inputPlace.length);
  for (let a = 0; a < numbers.length; a++) numbers[inputPlace[a]!] = a;
  return numbers;
}

// One function for each kind of column: the engine reads and writes one kind in half the time that it takes for any of several.

export function numbers(column: Int32Array, places: Int32Array): Int32Array {
  const moved = new Int32Array(places.length);
  for (let i = 0; i < places.length; i++) moved[i] = column[places[i]!]!;
  return moved;
}

export function renumberedAmounts(column: Float64Array, places: Int32Array): Float64Array {
  const moved = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) moved[i] = column[places[i]!]!;
  return moved;
}

function marks(column: Uint8Array, places: Int32Array): Uint8Array {
  const moved = new Uint8Array(places.length);
  for (let i = 0; i < places.length; i++) moved[i] = column[places[i]!]!;
  return moved;
}

export function values<T>(column: readonly T[], places: Int32Array): T[] {
  const moved = new Array<T>(places.length);
  for (let i = 0; i < places.length; i++) moved[i] = column[places[i]!]!;
  return moved;
}

/** A column that is shorter than the others where the last have none; mostly empty. */
function rareValues(column: readonly unknown[], places: Int32Array): readonly unknown[] {
  return column.length === 0 ? column : values(column, places);
}
