import { type Amounts, isSomeTypeOut, minus, plus, positive } from './amounts.js';
import type { Application, LeafQueue, User } from './leaf-queue.js';
import type { Round } from './round.js';

/** The amounts that the applications of a queue should have of its usage: lists by rank in the order of precedence. */
export interface IdealShares {
  readonly ideal: readonly Amounts[];
  /** The amount that an application lacks of its ideal share. */
  readonly need: readonly Amounts[];
  /** The first that waits and gets less than it asks for because of its user's limit; -1 = none. */
  readonly cutByLimit: number;
  /** Dealing out ended before everything was dealt out, because some type had run out. */
  readonly stoppedByType: boolean;
}

/** docs/reference/policies/intra-queue.md §5.3. */
export function idealShares(round: Round, leaf: LeafQueue, ranked: readonly Application[]): IdealShares {
  const { arithmetic, conservative } = round;
  const { zero } = arithmetic;
  const ideal: Amounts[] = [];
  const need: Amounts[] = [];
  const ofUser = new Map<User, Amounts>();
  let rest = minus(leaf.used, leaf.fixed);
  let cutByLimit = -1;
  let stoppedByType = false;
  ranked.forEach(({ user, own, pending }, rank) => {
    ideal.push(zero);
    need.push(zero);
    if (!arithmetic.isAboveZero(rest)) return;
    if (conservative && isSomeTypeOut(rest)) {
      stoppedByType = true;
      return;
    }
    const dealt = ofUser.get(user) ?? zero;
    const wanted = plus(own, pending);
    const room = minus(user.ownLimit, dealt);
    const isShut = arithmetic.compare(dealt, user.ownLimit) >= 0;
    const most = isShut ? zero : arithmetic.min(wanted, room);
    const isCut = isShut ? arithmetic.isAboveZero(wanted) : most !== wanted && arithmetic.isMore(rest, room);
    if (isCut && cutByLimit < 0 && arithmetic.isAboveZero(pending)) cutByLimit = rank;
    if (isShut) return;
    const part = arithmetic.min(rest, most);
    ideal[rank] = part;
    ofUser.set(user, plus(dealt, part));
    rest = positive(minus(rest, part));
    if (arithmetic.isMore(part, own)) need[rank] = minus(part, own);
  });
  return { ideal, need, cutByLimit, stoppedByType };
}
