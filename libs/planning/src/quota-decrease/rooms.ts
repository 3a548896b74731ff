import type { Candidates } from './candidates.js';
import type { Draft } from './draft.js';

/** The amounts that the queues below the trigger's queue can give now, by queue and place in the target. */
export interface Rooms {
  /** Above guaranteed; all of it without one. */
  readonly releasable: Float64Array;
  /** The amount of it that candidates that no floor refuses could give. */
  readonly room: Float64Array;
}

/** The amounts that victim care takes away from rooms: docs/reference/policies/victim-care.md §4, 8.6. */
export interface RoomLimits {
  refuses(candidate: number): boolean;
  /** The amount that the limit of the queue still leaves of the amount, of a type of the target. */
  leaves(queue: number, place: number, amount: number): number;
}

/** docs/reference/policies/quota-decrease.md §7 steps 1 and 2. `taken`: by queue and place, what the victims so far give. */
export function roomsOf(
  draft: Draft,
  queue: number,
  takesPart: Uint8Array,
  candidates: Candidates,
  care: RoomLimits | null,
): Rooms {
  const { snapshot, target } = draft;
  const { queues } = snapshot;
  const width = target.count;
  const end = queues.end[queue]!;
  const taken = new Float64Array(queues.count * width);
  const room = new Float64Array(queues.count * width);
  const releasable = new Float64Array(queues.count * width);
  for (let q = queue + 1; q < end; q++) {
    if (takesPart[q] === 1) sumLeaf(draft, candidates, q, care, taken, room);
  }
  // From the last to the first, children come before their parent: what stands in `room` of a parent is their sum.
  for (let q = end - 1; q > queue; q--) {
    if (takesPart[q] === 0) continue;
    const above = queues.parent[q]!;
    for (let place = 0; place < width; place++) {
      const cell = q * width + place;
      releasable[cell] = releasableOf(draft, q, place, taken[cell]!);
      if (room[cell]! > releasable[cell]!) room[cell] = releasable[cell]!;
      if (care !== null) room[cell] = care.leaves(q, place, room[cell]!);
      taken[above * width + place]! += taken[cell]!;
      room[above * width + place]! += room[cell]!;
    }
  }
  return { releasable, room };
}

function sumLeaf(
  draft: Draft,
  candidates: Candidates,
  leaf: number,
  care: RoomLimits | null,
  taken: Float64Array,
  room: Float64Array,
): void {
  const { size, firstEntry, entryType, entryAmount } = draft.snapshot.allocations;
  const { placeOfType, count: width } = draft.target;
  const guarded = draft.floors.guards(leaf);
  for (let i = candidates.first[leaf]!; i < candidates.last[leaf]!; i++) {
    const a = candidates.list[i]!;
    const isTaken = draft.isTaken(a);
    if (!isTaken && care !== null && care.refuses(a)) continue;
    if (!isTaken && care === null && guarded && draft.floors.refusingCell(a) >= 0) continue;
    const sum = isTaken ? taken : room;
    for (let e = firstEntry[size[a]!]!, end = firstEntry[size[a]! + 1]!; e < end; e++) {
      const place = placeOfType[entryType[e]!]!;
      if (place >= 0) sum[leaf * width + place]! += entryAmount[e]!;
    }
  }
}

function releasableOf(draft: Draft, queue: number, place: number, taken: number): number {
  const type = draft.target.types[place]!;
  if (type < 0) return 0;
  const { usage, inFlight, guaranteed } = draft.snapshot.queues;
  const cell = queue * draft.snapshot.types.length + type;
  return Math.max(0, usage[cell]! - inFlight[cell]! - taken - Math.max(0, guaranteed[cell]!));
}
