import { InputError } from '#contracts';
import { typePath } from '../../snapshot/amounts.js';
import type { AskColumns, OperationColumns } from './columns.js';
import type { Parts } from './parts.js';

/** Sums over a whole partition, by type, and tables by element. */
export interface UsageAndDemand {
  totals: Float64Array;
  inFlight: Float64Array;
  usage: Float64Array;
  demand: Float64Array;
}

/** @throws InputError with the path of the amount at which a sum passes what can be computed exactly. */
export function usageAndDemand(parts: Parts): UsageAndDemand {
  const { types, width, operationCount, parent, pools, operations, nodes, allocations, asks } = parts;
  const sumOf = (what: string, running: 0 | 1): Float64Array =>
    columnSums(
      allocations.size,
      types.names,
      what,
      (a) => allocations.running[a] === running,
      (a) => `allocations[${allocations.places[a]}].resources`,
    );
  const totals = columnSums(
    nodes.capacity,
    types.names,
    'the sum of all capacities',
    () => true,
    (node) => `nodes[${nodes.places[node]}].capacity`,
  );
  const inFlight = sumOf('what is in flight', 0);
  const usageOfAll = sumOf('the usage', 1);
  const usage = usageByElement(parts);
  const demand = usage.slice();
  addPending(
    demand,
    width,
    pools.count,
    { ...operations, count: operationCount },
    asks,
    usageOfAll,
    (operation, place) => `applications[${operations.places[operation]}].pending[${place}].count`,
  );
  sumUp(usage, width, parent);
  sumUp(demand, width, parent);
  return { totals, inFlight, usage, demand };
}

/** What runs, in the row of its operation. */
function usageByElement({ width, elementCount, pools, allocations }: Parts): Float64Array {
  const usage = new Float64Array(elementCount * width);
  for (let a = 0; a < allocations.count; a++) {
    if (allocations.running[a] === 0) continue;
    const row = (pools.count + allocations.operation[a]!) * width;
    for (let type = 0; type < width; type++) usage[row + type]! += allocations.size[a * width + type]!;
  }
  return usage;
}

/** A sum is exact up to 2^53 - 1; once past it stays past it, rounded or not, since nothing is ever subtracted. */
export function isPast(sum: number): boolean {
  return sum > Number.MAX_SAFE_INTEGER;
}

export function pastError(path: string, what: string): InputError {
  return new InputError(
    path,
    `with it ${what} passes ${Number.MAX_SAFE_INTEGER} (2^53 - 1); it must stay below`,
  );
}

/** The sums of all rows of a table, by type; the row with which a sum passes 2^53 - 1 is named by `pathOf`. */
function columnSums(
  table: Float64Array,
  types: readonly string[],
  what: string,
  counts: (row: number) => boolean,
  pathOf: (row: number) => string,
): Float64Array {
  const width = types.length;
  const sums = new Float64Array(width);
  for (let row = 0; row * width < table.length; row++) {
    if (!counts(row)) continue;
    for (let type = 0; type < width; type++) {
      const amount = table[row * width + type]!;
      if (amount <= 0) continue;
      sums[type]! += amount;
      if (isPast(sums[type]!)) throw pastError(typePath(pathOf(row), types[type]!), what);
    }
  }
  return sums;
}

/**
 * Adds what is pending to a table of usage by element, which becomes the demand. The sum of all of it is checked, so that of
 * every pool is fine too.
 */
function addPending(
  demand: Float64Array,
  width: number,
  poolCount: number,
  operations: Pick<OperationColumns, 'count' | 'firstAsk' | 'suspended'>,
  asks: AskColumns,
  total: Float64Array,
  pathOf: (operation: number, place: number) => string,
): void {
  for (let operation = 0; operation < operations.count; operation++) {
    if (operations.suspended[operation] === 1) continue;
    for (let ask = operations.firstAsk[operation]!; ask < operations.firstAsk[operation + 1]!; ask++) {
      for (let type = 0; type < width; type++) {
        const amount = asks.size[asks.kind[ask]! * width + type]! * asks.waiting[ask]!;
        if (amount === 0) continue;
        total[type]! += amount;
        if (isPast(total[type]!)) throw pastError(pathOf(operation, asks.place[ask]!), 'the demand');
        demand[(poolCount + operation) * width + type]! += amount;
      }
    }
  }
}

/** Adds the row of every element to that of its parent. Parents come before their children. */
function sumUp(table: Float64Array, width: number, parent: Int32Array): void {
  for (let element = parent.length - 1; element > 0; element--) {
    const above = parent[element]! * width;
    for (let type = 0; type < width; type++) table[above + type]! += table[element * width + type]!;
  }
}
