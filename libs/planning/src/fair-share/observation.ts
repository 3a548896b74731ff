import type { FairShareObservation } from '#contracts';
import { instantText } from '../writing/texts.js';
import type { Judged } from './judge.js';
import { mayStarve } from './starvation.js';

/** The results of one check that are reported to the clock of starvation: docs/reference/policies/fair-share.md §8.3. */
export function observationOf({ snapshot, settings, starvation }: Judged): FairShareObservation {
  const { elements, pools, operations, nodes, allocations, types } = snapshot;
  const width = types.length;
  const observed: FairShareObservation['elements'] = [];
  for (let element = 0; element < elements.count; element++) {
    if (!mayStarve(snapshot, settings, element)) continue;
    const operation = element - pools.count;
    const aggressiveTimeout = starvation.aggressiveTimeout[element]!;
    observed.push({
      kind: operation < 0 ? 'pool' : 'operation',
      name: operation < 0 ? pools.paths[element]! : operations.ids[operation]!,
      queue: pools.paths[operation < 0 ? element : elements.parent[element]!]!,
      status: starvation.below[element] === 1 ? 'below_fair_share' : 'normal',
      timeout: starvation.timeout[element]!,
      aggressiveTimeout: aggressiveTimeout === Number.POSITIVE_INFINITY ? null : aggressiveTimeout,
    });
  }
  const used = new Float64Array(nodes.count * width);
  for (let i = 0; i < nodes.byNode.length; i++) {
    const a = nodes.byNode[i]!;
    const row = allocations.node[a]! * width;
    for (let type = 0; type < width; type++) used[row + type]! += allocations.size[a * width + type]!;
  }
  const isOver = (node: number): boolean =>
    types.some((_, type) => {
      const capacity = nodes.capacity[node * width + type]!;
      return capacity >= 0 && used[node * width + type]! > capacity;
    });
  return {
    at: instantText(snapshot.takenAt),
    elements: observed,
    nodes: nodes.ids.map((id, node) => ({ id, over: isOver(node) })),
    overcommitMs: settings.allowedNodeResourcesOvercommitDuration,
  };
}
