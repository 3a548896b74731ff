import type { ReadFairShareSettings } from '#contracts';
import type { FairShareSnapshot } from './snapshot/columns.js';
import { hasLabels } from './snapshot/labels.js';

/** Amounts by element as parts of what the cluster has, 0 where it has nothing of a type. docs/reference/policies/fair-share.md §2 */
export function sharesOf(amounts: Float64Array, totals: Float64Array): Float64Array {
  const width = totals.length;
  const shares = new Float64Array(amounts.length);
  for (let cell = 0; cell < amounts.length; cell += width) {
    for (let type = 0; type < width; type++) {
      if (totals[type]! > 0) shares[cell + type] = amounts[cell + type]! / totals[type]!;
    }
  }
  return shares;
}

/** How much of the cluster each element may have: docs/reference/policies/fair-share.md §5, "Limits share". */
export function limitsShares(snapshot: FairShareSnapshot, settings: ReadFairShareSettings): Float64Array {
  const { elements, totals, pools, operations } = snapshot;
  const width = totals.length;
  const shares = new Float64Array(elements.limit.length);
  for (let cell = 0; cell < shares.length; cell += width) {
    for (let type = 0; type < width; type++) {
      const limit = elements.limit[cell + type]!;
      const total = totals[type]!;
      shares[cell + type] = total === 0 ? 0 : limit < 0 || limit >= total ? 1 : limit / total;
    }
  }
  const matching = new Map<string, Float64Array>();
  for (let operation = 0; operation < operations.count; operation++) {
    const filter = operations.filter[operation]!;
    if (filter.length === 0) continue;
    const key = JSON.stringify(filter);
    let most = matching.get(key);
    if (most === undefined) {
      most = shareOfNodes(snapshot, (node) => hasLabels(snapshot.nodes.labels[node]!, [filter]));
      matching.set(key, most);
    }
    lower(shares, pools.count + operation, most);
  }
  if (settings.bestAllocationShare) lowerToWholeAllocations(snapshot, shares);
  return shares;
}

function lower(shares: Float64Array, element: number, most: Float64Array): void {
  most.forEach((share, type) => {
    const cell = element * most.length + type;
    if (shares[cell]! > share) shares[cell] = share;
  });
}

function shareOfNodes({ nodes, totals }: FairShareSnapshot, counts: (node: number) => boolean): Float64Array {
  const width = totals.length;
  const sums = new Float64Array(width);
  for (let node = 0; node < nodes.count; node++) {
    if (!counts(node)) continue;
    for (let type = 0; type < width; type++) sums[type]! += Math.max(0, nodes.capacity[node * width + type]!);
  }
  return sharesOf(sums, totals);
}

/** The setting `bestAllocationShare`: of memory at most what allocations of the usual size can have on whole nodes. */
function lowerToWholeAllocations(snapshot: FairShareSnapshot, shares: Float64Array): void {
  const { elements, totals, nodes, pools, operations, typeNumber } = snapshot;
  const width = totals.length;
  const memory = typeNumber.get('memory');
  const pods = typeNumber.get('pods');
  if (memory === undefined || pods === undefined) return;
  const known = new Map<number, number>();
  for (let element = pools.count; element < pools.count + operations.count; element++) {
    const size = Math.floor(
      elements.demand[element * width + memory]! / elements.demand[element * width + pods]!,
    );
    if (!(size > 0) || size === Number.POSITIVE_INFINITY) continue;
    let most = known.get(size);
    if (most === undefined) {
      let sum = 0;
      for (let node = 0; node < nodes.count; node++) {
        const capacity = nodes.capacity[node * width + memory]!;
        if (capacity > 0) sum += capacity - (capacity % size);
      }
      most = totals[memory]! > 0 ? sum / totals[memory]! : 0;
      known.set(size, most);
    }
    const cell = element * width + memory;
    if (shares[cell]! > most) shares[cell] = most;
  }
}
