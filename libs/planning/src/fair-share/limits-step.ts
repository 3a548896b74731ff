import type { Draft } from './draft.js';
import { PLAIN } from './groups.js';
import { sparedBecause } from './spared.js';

/** By how much an element is over its limit in a type, with what is tolerated; 0 where it is not. */
export function overLimit(draft: Pick<Draft, 'usage' | 'judged'>, element: number, type: number): number {
  const { elements, types } = draft.judged.snapshot;
  const cell = element * types.length + type;
  const limit = elements.limit[cell]!;
  return limit < 0 ? 0 : Math.max(0, draft.usage[cell]! - limit - elements.limitTolerance[cell]!);
}

export function isOverAnyLimit(draft: Draft, element: number): boolean {
  const { elements, types } = draft.judged.snapshot;
  if (elements.limited[element] === 0) return false;
  return types.some((_, type) => overLimit(draft, element, type) > 0);
}

/**
 * Step 2 of docs/reference/policies/fair-share.md §11: any that is over a limit gives its newest plain allocations, those with a hint last,
 * until nothing is over; then, last first, what was not needed is given back.
 */
export function takeForLimits(draft: Draft, kept: Uint8Array): void {
  const { elements, allocations, pools } = draft.judged.snapshot;
  const over = new Uint8Array(elements.count);
  let any = false;
  for (let element = 0; element < elements.count; element++) {
    const above = elements.parent[element]!;
    const own = isOverAnyLimit(draft, element);
    if (own) any = true;
    if (own || (above >= 0 && over[above] === 1)) over[element] = 1;
  }
  if (!any) return;

  const walked: number[] = [];
  for (const optedOut of [0, 1]) {
    for (let a = allocations.count - 1; a >= 0; a--) {
      const element = pools.count + allocations.operation[a]!;
      if (over[element] === 0 || allocations.optedOut[a] !== optedOut) continue;
      if (sparedBecause(draft, kept, a, -1, false) !== 'not-needed' || !relieves(draft, a, element)) continue;
      draft.release(a);
      walked.push(a);
    }
  }
  const needed: number[] = [];
  for (const a of walked.reverse()) {
    draft.restore(a);
    if (!relieves(draft, a, pools.count + allocations.operation[a]!)) continue;
    draft.release(a);
    needed.push(a);
  }
  for (const allocation of needed.reverse()) {
    draft.victims.push({ allocation, cause: 'resource-limits', preemptedFor: -1, group: PLAIN });
  }
}

/** Whether an allocation holds a type in which its operation or a pool above it is over. */
function relieves(draft: Draft, allocation: number, own: number): boolean {
  const { elements, allocations, types } = draft.judged.snapshot;
  const width = types.length;
  for (let element = own; element >= 0; element = elements.parent[element]!) {
    if (elements.limited[element] === 0) continue;
    for (let type = 0; type < width; type++) {
      if (allocations.size[allocation * width + type]! > 0 && overLimit(draft, element, type) > 0)
        return true;
    }
  }
  return false;
}
