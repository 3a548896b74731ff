import { type Amounts, isZero, minus, plus } from './amounts.js';
import type { Application, LeafQueue, User } from './leaf-queue.js';
import type { Round } from './round.js';

/** An amount that an application gives to another; both by rank in the order of precedence. */
export interface Move {
  readonly from: number;
  readonly to: number;
  readonly amount: Amounts;
}

export interface Matching {
  /** By rank. */
  readonly give: readonly Amounts[];
  readonly needLeft: readonly Amounts[];
  readonly moves: readonly Move[];
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
  ranked: readonly Application[],
  need: readonly Amounts[],
  offer: readonly Amounts[],
): Matching {
  const { arithmetic } = round;
  const needLeft = [...need];
  const give: Amounts[] = ranked.map(() => arithmetic.zero);
  const moves: Move[] = [];
  const marked = new Set<User>();
  let sum = arithmetic.zero;
  // Worst first, without those that offer nothing.
  let givers = ranked
    .map((_, rank) => rank)
    .filter((rank) => arithmetic.isAboveZero(offer[rank]!))
    .reverse();
  let exhausted = 0;
  for (let to = 0; to < ranked.length; to++) {
    if (!arithmetic.isAboveZero(needLeft[to]!)) continue;
    const waiting = ranked[to]!;
    if (exhausted > givers.length / 2) {
      // A giver that has given everything never gives again.
      givers = givers.filter((from) => !arithmetic.isAtMost(offer[from]!, give[from]!));
      exhausted = 0;
    }
    for (const from of givers) {
      if (isZero(needLeft[to]!)) break;
      const giver = ranked[from]!;
      const sameUser = giver.user === waiting.user;
      if (sameUser && giver.priority >= waiting.priority) continue; // A
      if (arithmetic.isAtMost(offer[from]!, give[from]!)) continue;
      if (!sameUser && leaf.policy === 'userlimit-first' && !giver.user.isOver) continue; // B
      let free = minus(offer[from]!, give[from]!);
      if (!sameUser && giver.priority === waiting.priority && giver.user.isOver) {
        // C
        const most = marked.has(giver.user) ? arithmetic.zero : giver.user.excess;
        if (arithmetic.compare(most, free) < 0) {
          free = most;
          marked.add(giver.user);
        }
      }
      if (!arithmetic.isAboveZero(free)) continue;
      const amount = arithmetic.min(needLeft[to]!, free);
      needLeft[to] = minus(needLeft[to]!, amount);
      give[from] = plus(give[from]!, amount);
      sum = plus(sum, amount);
      moves.push({ from, to, amount });
      if (arithmetic.isAtMost(offer[from]!, give[from]!)) exhausted++;
    }
  }
  return { give, needLeft, moves, sum };
}
