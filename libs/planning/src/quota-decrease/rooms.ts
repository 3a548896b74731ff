import type { Draft } from './draft.js';
import type { OpenCandidates } from './open-candidates.js';

/** The amounts that the queues below the trigger's queue can give now, by queue and place in the target. */
export interface Rooms {
  /** Above guaranteed; all of it without one. */
  readonly releasable: Float64Array;
  /** The part of it that candidates could give that nothing refuses. */
  readonly room: Float64Array;
}

/** The amount that the limit of a queue still leaves of an amount, of a type of the target: docs/reference/policies/victim-care.md 8.6. */
export type LeftByLimit = (queue: number, place: number, amount: number) => number;

/**
 * What the queues can give: docs/reference/policies/quota-decrease.md §7 steps 1 and 2.
 *
 * @param leaves null where no queue has a limit.
 */
export function roomsOf(
  draft: Draft,
  queue: number,
  takesPart: Uint8Array,
  open: OpenCandidates,
  leaves: LeftByLimit | null,
): Rooms {
  const { snapshot, target } = draft;
  const { queues } = snapshot;
  const width = target.count;
  const end = queues.end[queue]!;
  const room = open.sums(queue + 1, end, takesPart);
  const taken = draft.claimedFrom.slice();
  const releasable = new Float64Array(room.length);
  // From the last to the first, children come before their parent: what stands in `room` of a parent is their sum.
  for (let q = end - 1; q > queue; q--) {
    if (takesPart[q] === 0) continue;
    const above = queues.parent[q]!;
    for (let place = 0; place < width; place++) {
      const cell = q * width + place;
      releasable[cell] = releasableOf(draft, q, place, taken[cell]!);
      if (room[cell]! > releasable[cell]!) room[cell] = releasable[cell]!;
      if (leaves !== null) room[cell] = leaves(q, place, room[cell]!);
      taken[above * width + place]! += taken[cell]!;
      room[above * width + place]! += room[cell]!;
    }
  }
  return { releasable, room };
}

function releasableOf(draft: Draft, queue: number, place: number, taken: number): number {
  const type = draft.target.types[place]!;
  if (type < 0) return 0;
  const { usage, inFlight, guaranteed } = draft.snapshot.queues;
  const cell = queue * draft.snapshot.types.length + type;
  return Math.max(0, usage[cell]! - inFlight[cell]! - taken - Math.max(0, guaranteed[cell]!));
}
