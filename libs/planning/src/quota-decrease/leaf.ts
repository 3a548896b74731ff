import type { ReadDecreaseSettings } from '#contracts';
import type { Draft } from './draft.js';

/**
 * Passes once through the order of a leaf and takes what is wanted: docs/reference/policies/quota-decrease.md §6.3, and §7 step 5 where
 * the leaf has a share.
 *
 * @param share what falls to the leaf in this pass, by place in the target; null = the leaf is the trigger's queue.
 * @returns how many were taken.
 */
export function takeFromLeaf(
  draft: Draft,
  sorted: Int32Array,
  share: Float64Array | null,
  fit: ReadDecreaseSettings['fit'],
): number {
  const given = new Float64Array(draft.target.count);
  let taken = 0;
  let open = typesOpen(draft, share, given);
  for (let i = 0; i < sorted.length && open > 0; i++) {
    const allocation = sorted[i]!;
    if (draft.isTaken(allocation)) continue;
    // While all types are open, every candidate is wanted: each uses one of them.
    if (open < given.length && !isWanted(draft, allocation, share, given)) continue;
    const cell = draft.floors.refusingCell(allocation);
    if (cell >= 0) {
      draft.passOverForFloor(allocation, cell);
      continue;
    }
    if (fit === 'within' && passesTarget(draft, allocation, share, given)) {
      draft.passOverForTarget(allocation);
      continue;
    }
    draft.take(allocation);
    addTo(given, draft, allocation);
    taken++;
    open = typesOpen(draft, share, given);
  }
  return taken;
}

/** Whether a type is still short in the whole plan and in the share of the leaf. */
function isOpen(draft: Draft, place: number, share: Float64Array | null, given: Float64Array): boolean {
  return draft.isShort(place) && (share === null || given[place]! < share[place]!);
}

/** How many types of the target a leaf still wants. */
export function typesOpen(draft: Draft, share: Float64Array | null, given: Float64Array): number {
  let open = 0;
  for (let place = 0; place < given.length; place++) if (isOpen(draft, place, share, given)) open++;
  return open;
}

/** Whether an allocation uses a type that a leaf still wants. */
export function isWanted(
  draft: Draft,
  allocation: number,
  share: Float64Array | null,
  given: Float64Array,
): boolean {
  const { gives, count } = draft.target;
  const of = draft.snapshot.allocations.size[allocation]! * count;
  for (let place = 0; place < count; place++) {
    if (gives[of + place]! > 0 && isOpen(draft, place, share, given)) return true;
  }
  return false;
}

/** Whether the victims would give more than the target, or the leaf more than its share, in any type. */
export function passesTarget(
  draft: Draft,
  allocation: number,
  share: Float64Array | null,
  given: Float64Array,
): boolean {
  const { gives, count } = draft.target;
  const of = draft.snapshot.allocations.size[allocation]! * count;
  for (let place = 0; place < count; place++) {
    const amount = gives[of + place]!;
    if (amount === 0) continue;
    if (draft.claimed[place]! + amount > draft.target.amounts[place]!) return true;
    if (share !== null && given[place]! + amount > share[place]!) return true;
  }
  return false;
}

/** Adds what an allocation gives. */
export function addTo(given: Float64Array, draft: Draft, allocation: number): void {
  const { gives, count } = draft.target;
  const of = draft.snapshot.allocations.size[allocation]! * count;
  for (let place = 0; place < count; place++) given[place]! += gives[of + place]!;
}
