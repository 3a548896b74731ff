import { type Amounts, type AmountTable, addRow, copyRow, isZero, subtractRow } from './amounts.js';
import { Givers } from './givers.js';
import type { LeafQueue } from './leaf-queue.js';
import type { Moves } from './move-list.js';
import type { Round } from './round.js';

export interface Matching {
  /** By rank. */
  readonly give: AmountTable;
  readonly needLeft: AmountTable;
  readonly moves: Moves;
  readonly sum: Amounts;
}

/**
 * Who gives to whom: docs/reference/policies/intra-queue.md §5.5. Needs are answered the most entitled first, by the least entitled first.
 *
 * - rule A: inside a user only lower priority gives
 * - rule B: with `userlimit-first`, of the others only users over their limit give
 * - rule C: to an application of equal priority the user of another gives no more than it has above its limit
 */
export function matchOffers(
  round: Round,
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
