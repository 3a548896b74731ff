import type { ReadDecreaseSettings } from '#contracts';
import type { Candidates } from './candidates.js';
import type { Draft } from './draft.js';
import { isWanted, takeFromLeaf } from './leaf.js';
import type { LeafOrders } from './leaf-orders.js';
import { OpenCandidates, type Refusing, type Rooms, roomsOf } from './open-candidates.js';
import { type Sharer, shareOut } from './share-out.js';

/** The steps from which plans are made: plain ones, or those of victim care. */
export interface Taking {
  /** The amounts that the queues below the trigger's queue can give now: docs/reference/policies/quota-decrease.md §7 step 2. */
  rooms(): Rooms;
  /** The part that a pass shares out of these amounts, by place in the target. */
  cut(amounts: Float64Array): Float64Array;
  /** Sets the parts of the children of one queue: §7 step 3. */
  shareOut(amount: number, sharers: readonly Sharer[], place: number): void;
  /** @returns how many were taken. */
  takeFromLeaf(leaf: number, share: Float64Array | null): number;
  /** @returns how many were given back. */
  reprieve(): number;
  /** Where the target is not reached: tests the candidates that were not refused yet. */
  testWhatIsLeft(): void;
}

export function plainTaking(
  draft: Draft,
  queue: number,
  takesPart: Uint8Array,
  candidates: Candidates,
  orders: LeafOrders,
  fit: ReadDecreaseSettings['fit'],
): Taking {
  const { floors } = draft;
  const tests: Refusing = {
    mayRefuse: (leaf) => floors.mayRefuse(leaf),
    refuses: (candidate) => floors.refusingCell(candidate) >= 0,
  };
  let open: OpenCandidates | null = null;
  return {
    rooms: () => {
      open ??= new OpenCandidates(draft, candidates, tests);
      return roomsOf(draft, queue, takesPart, open, null);
    },
    cut: (amounts) => amounts,
    shareOut,
    takeFromLeaf: (leaf, share) => takeFromLeaf(draft, orders.of(leaf), share, fit),
    reprieve: () => reprieve(draft, orders),
    testWhatIsLeft: () => refuseWhatIsLeft(draft, queue, orders),
  };
}

/**
 * Where the target is not reached, a floor may have kept candidates out before they were tried: their leaf had no room to
 * give. They count as refused like those that were tried (docs/reference/policies/quota-decrease.md §6.1, §10).
 */
function refuseWhatIsLeft(draft: Draft, queue: number, orders: LeafOrders): void {
  const nothingGiven = new Float64Array(draft.target.count);
  const refusingCell = (allocation: number): number => {
    if (draft.isTaken(allocation) || !isWanted(draft, allocation, null, nothingGiven)) return -1;
    return draft.floors.refusingCell(allocation);
  };
  for (let q = queue; q < draft.snapshot.queues.end[queue]!; q++) {
    // Notices name the first one, so the order counts, but only of leaves where there is one.
    if (!orders.unsorted(q).some((allocation) => refusingCell(allocation) >= 0)) continue;
    for (const allocation of orders.of(q)) {
      const cell = refusingCell(allocation);
      if (cell >= 0) draft.passOverForFloor(allocation, cell);
    }
  }
}

/**
 * Gives back who is not needed, from the last of the order to the first, over the victims of all leaves in one order:
 * docs/reference/policies/quota-decrease.md §6.3 and §7 step 6. Where nodes count, equals up to rule 3 go in reverse of the order
 * in which they were taken.
 *
 * @returns how many were given back.
 */
function reprieve(draft: Draft, orders: LeafOrders): number {
  // Giving back only lowers what the others give: who is needed now stays needed, and need not be sorted. Few are given back as
  // a rule, so of most classes hardly any is left to be sorted when their turn comes.
  const spare = keepSpare(draft, draft.victims);
  let givenBack = 0;
  for (const ofClass of orders.lastClassesFirst(spare)) {
    const left = keepSpare(draft, ofClass);
    orders.sortClass(left);
    for (let i = left.length - 1; i >= 0; i--) {
      if (!draft.isSpare(left[i]!)) continue;
      draft.giveBack(left[i]!);
      givenBack++;
    }
  }
  return givenBack;
}

/** Moves the victims that are spare to the front of the list. @returns that part of it. */
function keepSpare(draft: Draft, list: Int32Array): Int32Array {
  let count = 0;
  for (let i = 0; i < list.length; i++) if (draft.isSpare(list[i]!)) list[count++] = list[i]!;
  return list.subarray(0, count);
}
