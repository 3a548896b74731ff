import type { FairShareReason, Resources, VictimCause } from '#contracts';
import { resourcesOf } from '../writing/texts.js';
import type { Draft } from './draft.js';
import { isOverAnyLimit, overLimit } from './limits-step.js';
import { isOvercommitted, overCapacity } from './overcommit-step.js';
import { AGGRESSIVELY_STARVING, NON_STARVING } from './snapshot/columns.js';

/** Something to act on, as it was before anything was decided. */
export interface FoundReason {
  readonly cause: VictimCause;
  readonly kind: FairShareReason['kind'];
  /** The number of the element or node. */
  readonly number: number;
  readonly name: string;
  readonly missing: Resources;
}

/** The grounds to act on, of those that the setting `reasons` names: docs/reference/policies/fair-share.md §13. */
export function findReasons(draft: Draft): FoundReason[] {
  const { snapshot, settings } = draft.judged;
  const { elements, pools, nodes, operations, types } = snapshot;
  const found: FoundReason[] = [];
  const ofElement = (element: number): Pick<FoundReason, 'kind' | 'number' | 'name'> =>
    element < pools.count
      ? { kind: 'pool', number: element, name: pools.paths[element]! }
      : { kind: 'operation', number: element, name: operations.ids[element - pools.count]! };
  if (settings.reasons.includes('resource-limits')) {
    for (let element = 0; element < elements.count; element++) {
      if (!isOverAnyLimit(draft, element)) continue;
      const missing = resourcesOf(types, (type) => overLimit(draft, element, type));
      found.push({ cause: 'resource-limits', ...ofElement(element), missing });
    }
  }
  if (settings.reasons.includes('overcommit')) {
    for (let node = 0; node < nodes.count; node++) {
      if (!isOvercommitted(draft, node)) continue;
      const missing = resourcesOf(types, (type) => overCapacity(draft, node, type));
      found.push({ cause: 'overcommit', kind: 'node', number: node, name: nodes.ids[node]!, missing });
    }
  }
  if (settings.reasons.includes('starvation')) {
    for (let element = 1; element < elements.count; element++) {
      const state = draft.state[element]!;
      if (state === NON_STARVING) continue;
      const cause = state === AGGRESSIVELY_STARVING ? 'aggressive-starvation' : 'starvation';
      const missing = resourcesOf(types, (type) => draft.shareStatus.missing(element, type));
      found.push({ cause, ...ofElement(element), missing });
    }
  }
  return found.sort(
    (a, b) => compareTexts(a.cause, b.cause) || compareTexts(a.kind, b.kind) || compareTexts(a.name, b.name),
  );
}

/** Whether a reason is answered by what was decided until now. */
export function answers(draft: Draft): (reason: FoundReason) => boolean {
  const pending = pendingBelow(draft);
  return ({ cause, kind, number }) => {
    if (kind === 'node') return !isOvercommitted(draft, number);
    if (cause === 'resource-limits') return !isOverAnyLimit(draft, number);
    return pending[number] === 0 || !draft.shareStatus.isBelow(number);
  };
}

/** How many allocations operations at and below each element still wait for, suspended ones aside. */
function pendingBelow({ judged: { snapshot }, pending }: Draft): Float64Array {
  const { elements, pools, operations } = snapshot;
  const sums = new Float64Array(elements.count);
  for (let element = elements.count - 1; element > 0; element--) {
    const operation = element - pools.count;
    if (operation >= 0 && operations.suspended[operation] === 0) sums[element] = pending[operation]!;
    sums[elements.parent[element]!]! += sums[element]!;
  }
  return sums;
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
