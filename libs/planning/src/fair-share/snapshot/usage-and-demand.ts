import type { Parts } from './parts.js';
import { addPending, columnSums, sumUp } from './sums.js';

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
