import type { Candidates } from './candidates.js';
import type { Draft } from './draft.js';

/** The tests that decide whether a candidate may go. */
export interface Refusing {
  /** False where no candidate of the leaf can be refused now. */
  mayRefuse(leaf: number): boolean;
  /** While victims are only added, a refused candidate stays refused. */
  refuses(candidate: number): boolean;
}

/**
 * The candidates that are neither taken nor refused, and what those of each leaf give. They are kept from pass to pass, so that a pass
 * tests only those that the one before left. When a victim is given back, others may go again, so then all are tested again.
 */
export class OpenCandidates {
  /** Those of leaf q are `list[i]` for i from `candidates.first[q]` below `last[q]`. */
  private readonly list: Int32Array;
  private readonly last: Int32Array;
  /** What refused candidates give, by queue and place in the target. */
  private readonly refused: Float64Array;
  private readonly settled: Uint8Array;
  private timesGivenBack = 0;

  constructor(
    private readonly draft: Draft,
    private readonly candidates: Candidates,
    private readonly tests: Refusing,
  ) {
    this.list = candidates.list.slice();
    this.last = candidates.last.slice();
    this.refused = new Float64Array(candidates.giveOf.length);
    this.settled = new Uint8Array(draft.snapshot.allocations.count);
  }

  /** Forgets what was refused: other candidates may go from here on. */
  reset(): void {
    this.list.set(this.candidates.list);
    this.last.set(this.candidates.last);
    this.refused.fill(0);
    this.settled.fill(0);
  }

  /** Whether later passes skip a candidate, because it was refused and no other test can refuse it. */
  isSettled(candidate: number): boolean {
    return this.settled[candidate] !== 0;
  }

  /** Lets later passes skip a candidate. Other refused ones stay in the passes, since each test notes the candidates that it refuses. */
  settle(candidate: number): void {
    this.settled[candidate] = 1;
  }

  /** @returns by queue and place: what the candidates of each leaf that takes part could give now. */
  sums(from: number, to: number, takesPart: Uint8Array): Float64Array {
    const { draft } = this;
    if (this.timesGivenBack !== draft.timesGivenBack) {
      this.timesGivenBack = draft.timesGivenBack;
      this.reset();
    }
    const { giveOf } = this.candidates;
    const sums = new Float64Array(giveOf.length);
    const width = draft.target.count;
    for (let q = from; q < to; q++) {
      if (takesPart[q] === 0) continue;
      if (this.tests.mayRefuse(q)) this.dropFrom(q);
      for (let cell = q * width; cell < (q + 1) * width; cell++) {
        sums[cell] = giveOf[cell]! - draft.claimedFrom[cell]! - this.refused[cell]!;
      }
    }
    return sums;
  }

  private dropFrom(leaf: number): void {
    const { draft, list, settled, tests } = this;
    const { gives, count: width } = draft.target;
    const { size } = draft.snapshot.allocations;
    const left = new Float64Array(width);
    let open = this.candidates.first[leaf]!;
    for (let i = open, end = this.last[leaf]!; i < end; i++) {
      const candidate = list[i]!;
      if (settled[candidate] !== 0 || draft.isTaken(candidate) || tests.refuses(candidate)) continue;
      list[open++] = candidate;
      const of = size[candidate]! * width;
      for (let place = 0; place < width; place++) left[place]! += gives[of + place]!;
    }
    this.last[leaf] = open;
    for (let place = 0; place < width; place++) {
      const cell = leaf * width + place;
      this.refused[cell] = this.candidates.giveOf[cell]! - draft.claimedFrom[cell]! - left[place]!;
    }
  }
}

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
