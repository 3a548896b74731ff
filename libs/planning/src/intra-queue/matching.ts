import {
  type AmountTable,
  addRow,
  clipRow,
  copyRow,
  isZero,
  subtractRow,
  type TypeAmounts,
} from './amounts.js';
import type { Arithmetic } from './arithmetic.js';
import { Givers } from './givers.js';
import type { LeafQueue } from './leaf-queue.js';
import type { Moves } from './move-list.js';
import type { InQueueRound } from './round.js';

export interface Matching {
  /** By rank. */
  readonly give: AmountTable;
  readonly needLeft: AmountTable;
  readonly moves: Moves;
  readonly sum: TypeAmounts;
}

/**
 * Who gives to whom: docs/reference/policies/intra-queue.md §5.5. Needs are answered the most entitled first, by the least entitled first.
 *
 * - rule A: inside a user only lower priority gives
 * - rule B: with `userlimit-first`, of the others only users over their limit give
 * - rule C: to an application of equal priority the user of another gives no more than it has above its limit
 */
export function matchOffers(
  round: InQueueRound,
  leaf: LeafQueue,
  ranked: Int32Array,
  need: AmountTable,
  offer: AmountTable,
): Matching {
  const { arithmetic, userOf } = round;
  const { width } = arithmetic;
  const { priorityPlace } = round.applicationOrder;
  const { isOver, excess } = leaf.users;
  const needLeft = need.slice();
  const give = new Float64Array(offer.length);
  const sum = arithmetic.zero.slice();
  // What may be moved now.
  const amount = arithmetic.zero.slice();
  const givers = new Givers(round, leaf, ranked, offer);
  for (let to = 0; to < ranked.length; to++) {
    const toAt = to * width;
    if (!arithmetic.isAboveZero(needLeft, toAt)) continue;
    const waiting = ranked[to]!;
    for (let from = ranked.length; !isZero(needLeft, toAt, width); ) {
      from = givers.nextFor(waiting, from);
      if (from < 0) break;
      const at = from * width;
      const giver = ranked[from]!;
      const user = userOf[giver]!;
      copyRow(amount, 0, offer, at, width);
      subtractRow(amount, 0, give, at, width);
      if (user !== userOf[waiting] && isOver[user] === 1 && priorityPlace[giver] === priorityPlace[waiting]) {
        // C
        if (arithmetic.compareRows(excess, user * width, amount, 0) < 0) {
          copyRow(amount, 0, excess, user * width, width);
          givers.mark(user);
        }
      }
      if (arithmetic.compareRows(needLeft, toAt, amount, 0) <= 0) copyRow(amount, 0, needLeft, toAt, width);
      subtractRow(needLeft, toAt, amount, 0, width);
      addRow(give, at, amount, 0, width);
      addRow(sum, 0, amount, 0, width);
      round.moveList.add(from, to, amount);
      if (arithmetic.compareRows(offer, at, give, at) <= 0) givers.takeOut(from);
    }
  }
  return { give, needLeft, moves: round.moveList.drain(), sum };
}

export interface Offers {
  /** By rank in the order of precedence. */
  readonly offer: AmountTable;
  /** The applications whose whole spare is kept back as the dead zone, by rank, the least entitled first. */
  readonly keptBack: readonly number[];
}

/** The amounts that applications could give if no ceiling held: docs/reference/policies/intra-queue.md §5.4. */
export function freeOffers(
  round: InQueueRound,
  leaf: LeafQueue,
  ranked: Int32Array,
  ideal: AmountTable,
): Offers {
  const { arithmetic, minimumAllocation } = round;
  const { used, fixed } = round.usage;
  const { width } = arithmetic;
  const offer = new Float64Array(ideal.length);
  const keptBack: number[] = [];
  for (let rank = ranked.length - 1; rank >= 0; rank--) {
    const from = ranked[rank]! * width;
    if (!arithmetic.isAboveZero(used, from)) continue;
    const at = rank * width;
    copyRow(offer, at, used, from, width);
    subtractRow(offer, at, ideal, at, width);
    clipRow(offer, at, width);
    subtractRow(offer, at, fixed, from, width);
    clipRow(offer, at, width);
    if (leaf.policy !== 'userlimit-first') continue;
    const hasSpare = arithmetic.isAboveZero(offer, at);
    subtractRow(offer, at, minimumAllocation, 0, width);
    clipRow(offer, at, width);
    if (hasSpare && !arithmetic.isAboveZero(offer, at)) keptBack.push(rank);
  }
  return { offer, keptBack };
}

/** The amounts that applications offer under a ceiling for all of them together, the least entitled first. */
export function offersBelow(ceiling: TypeAmounts, free: Offers, arithmetic: Arithmetic): Offers {
  const { width } = arithmetic;
  const offer = new Float64Array(free.offer.length);
  const left = ceiling.slice();
  let rank = offer.length / width - 1;
  for (; rank >= 0 && arithmetic.isAboveZero(left); rank--) {
    const at = rank * width;
    if (isZero(free.offer, at, width)) continue;
    if (arithmetic.compareRows(free.offer, at, left, 0) <= 0) copyRow(offer, at, free.offer, at, width);
    else copyRow(offer, at, left, 0, width);
    subtractRow(left, 0, offer, at, width);
    clipRow(left, 0, width);
  }
  return { offer, keptBack: free.keptBack.filter((kept) => kept > rank) };
}

export function sumOfOffers({ offer }: Offers, { zero, width }: Arithmetic): TypeAmounts {
  const sum = zero.slice();
  for (let at = 0; at < offer.length; at += width) addRow(sum, 0, offer, at, width);
  return sum;
}
