import type { ReadDecreaseSettings } from '#contracts';
import type { Draft } from './draft.js';
import type { Rooms } from './open-candidates.js';
import type { Sharer } from './share-out.js';
import type { Taking } from './taking.js';

/** A part of a queue that was larger than its room. */
export interface Cut {
  place: number;
  /** Rounded down. */
  quota: number;
  room: number;
}

/** The results of a plan for a queue with children beside its victims. */
export interface Sharing {
  /** By queue and place in the target, of the first pass. */
  readonly releasable: Float64Array;
  readonly target: Float64Array;
  /** By queue: the first part that was above the room. */
  readonly cuts: Map<number, Cut>;
  /** How many were taken after the first pass. */
  takenLater: number;
}

/** Takes victims from the leaves below a queue, pass after pass: docs/reference/policies/quota-decrease.md §7. */
export function takeInPasses(
  draft: Draft,
  queue: number,
  takesPart: Uint8Array,
  taking: Taking,
  fit: ReadDecreaseSettings['fit'],
): Sharing {
  const cuts = new Map<number, Cut>();
  const { rooms, shares, taken } = pass(draft, queue, takesPart, taking, draft.target.amounts, cuts);
  const sharing: Sharing = { releasable: rooms.releasable, target: shares, cuts, takenLater: 0 };
  takeInFurtherPasses(draft, queue, takesPart, taking, fit, sharing, taken > 0);
  return sharing;
}

/**
 * §7 step 6.
 *
 * @param progress whether there is a reason for another pass before the reprieve.
 */
export function takeInFurtherPasses(
  draft: Draft,
  queue: number,
  takesPart: Uint8Array,
  taking: Taking,
  fit: ReadDecreaseSettings['fit'],
  sharing: Sharing,
  progress: boolean,
): void {
  for (let again = progress; ; ) {
    while (!draft.reached && again) {
      const missing = draft.target.need.map((need, place) => Math.max(0, need - draft.claimed[place]!));
      const { taken } = pass(draft, queue, takesPart, taking, missing, sharing.cuts);
      sharing.takenLater += taken;
      again = taken > 0;
    }
    if (fit === 'within') return;
    again = taking.reprieve() > 0;
    if (draft.reached || !again) return;
  }
}

function pass(
  draft: Draft,
  queue: number,
  takesPart: Uint8Array,
  taking: Taking,
  amounts: Float64Array,
  cuts: Map<number, Cut>,
): { rooms: Rooms; shares: Float64Array; taken: number } {
  const rooms = taking.rooms();
  const shares = shareDown(draft, queue, takesPart, taking, taking.cut(amounts), rooms, cuts);
  return { rooms, shares, taken: takeFromLeaves(draft, queue, takesPart, taking, shares) };
}

/** Shares amounts out from the queue down to the leaves, every type by itself. */
function shareDown(
  draft: Draft,
  queue: number,
  takesPart: Uint8Array,
  taking: Taking,
  amounts: Float64Array,
  { releasable, room }: Rooms,
  cuts: Map<number, Cut>,
): Float64Array {
  const { end, count } = draft.snapshot.queues;
  const width = amounts.length;
  const shares = new Float64Array(count * width);
  shares.set(amounts, queue * width);
  for (let q = queue; q < end[queue]!; q++) {
    for (let place = 0; place < width; place++) {
      const amount = shares[q * width + place]!;
      if (amount === 0) continue;
      const sharers: Sharer[] = [];
      for (let child = q + 1; child < end[q]!; child = end[child]!) {
        const cell = child * width + place;
        if (takesPart[child] === 0 || room[cell] === 0) continue;
        sharers.push({
          queue: child,
          releasable: releasable[cell]!,
          room: room[cell]!,
          part: 0,
          cutFrom: null,
        });
      }
      taking.shareOut(amount, sharers, place);
      for (const sharer of sharers) {
        shares[sharer.queue * width + place] = sharer.part;
        if (sharer.cutFrom === null || cuts.has(sharer.queue)) continue;
        cuts.set(sharer.queue, { place, quota: sharer.cutFrom, room: sharer.room });
      }
    }
  }
  return shares;
}

/** Depth first, siblings by name, which is the order of the queues' numbers. */
function takeFromLeaves(
  draft: Draft,
  queue: number,
  takesPart: Uint8Array,
  taking: Taking,
  shares: Float64Array,
): number {
  const { end } = draft.snapshot.queues;
  const width = draft.target.count;
  let taken = 0;
  for (let q = queue + 1; q < end[queue]! && !draft.reached; q++) {
    const share = shares.subarray(q * width, (q + 1) * width);
    if (end[q] !== q + 1 || takesPart[q] === 0 || share.every((amount) => amount === 0)) continue;
    taken += taking.takeFromLeaf(q, share);
  }
  return taken;
}
