import type { ReadSettings } from '#contracts';
import type { Candidates } from './candidates.js';
import type { Draft } from './draft.js';
import { takeFromLeaf } from './leaf.js';
import type { LeafOrders } from './leaf-orders.js';
import { OpenCandidates, type Refusing } from './open-candidates.js';
import { refuseWhatIsLeft } from './refused.js';
import { reprieve } from './reprieve.js';
import { type Rooms, roomsOf } from './rooms.js';
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
  fit: ReadSettings['fit'],
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
