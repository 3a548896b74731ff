import type { FairShareSnapshot, FifoParameter } from './snapshot/columns.js';

/** The place of each operation in its fifo pool, from 0; 0 for those of other pools. docs/reference/policies/fair-share.md §6 */
export function fifoPlaces(snapshot: FairShareSnapshot): Int32Array {
  const { pools, elements, operations } = snapshot;
  const places = new Int32Array(operations.count);
  for (let pool = 0; pool < pools.count; pool++) {
    if (pools.fifo[pool] === 0) continue;
    const members = elements.children.slice(elements.firstChild[pool]!, elements.firstChild[pool + 1]!);
    const parameters = pools.fifoParameters[pool]!;
    const before = (a: number, b: number): number => {
      for (const parameter of parameters) {
        const order = orderBy(parameter, snapshot, a, b);
        if (order !== 0) return order;
      }
      return a - b;
    };
    members
      .map((element) => element - pools.count)
      .sort(before)
      .forEach((operation, place) => {
        places[operation] = place;
      });
  }
  return places;
}

function orderBy(
  parameter: FifoParameter,
  { pools, elements, operations }: FairShareSnapshot,
  a: number,
  b: number,
): number {
  if (parameter === 'weight') return elements.weight[pools.count + b]! - elements.weight[pools.count + a]!;
  const column = parameter === 'startTime' ? operations.submittedAt : operations.pending;
  return column[a]! - column[b]!;
}
