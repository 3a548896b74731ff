import {
  type AmountTable,
  addRow,
  clipRow,
  copyRow,
  isSomeTypeOut,
  isZero,
  minus,
  plus,
  subtractRow,
  type TypeAmounts,
} from './amounts.js';
import type { LeafQueue } from './leaf-queue.js';
import type { InQueueRound } from './round.js';

/** The amounts that the applications of a queue should have of its usage: tables by rank in the order of precedence. */
export interface IdealShares {
  readonly ideal: AmountTable;
  /** The amount that an application lacks of its ideal share, beyond the freed room that it can still take. */
  readonly need: AmountTable;
  /** The part of the freed room that is left for needs. */
  readonly covered: TypeAmounts;
  /** The first that waits and gets less than it asks for because of its user's limit; -1 = none. */
  readonly cutByLimit: number;
  /** Dealing out ended before everything was dealt out, because some type had run out. */
  readonly stoppedByType: boolean;
}

/** docs/reference/policies/intra-queue.md §5.3. */
export function idealShares(round: InQueueRound, leaf: LeafQueue, ranked: Int32Array): IdealShares {
  const { arithmetic, conservative, usage, pending, userOf } = round;
  const { width, zero } = arithmetic;
  const { ownLimit } = leaf.users;
  const ideal = new Float64Array(ranked.length * width);
  const need = new Float64Array(ranked.length * width);
  const ofUser = new Float64Array(leaf.users.count * width);
  const wanted = zero.slice();
  const room = zero.slice();
  const rest = plus(minus(leaf.used, leaf.fixed), leaf.freedRoom);
  let cutByLimit = -1;
  let stoppedByType = false;
  for (let rank = 0; rank < ranked.length && arithmetic.isAboveZero(rest); rank++) {
    if (conservative && isSomeTypeOut(rest)) {
      stoppedByType = true;
      break;
    }
    const from = ranked[rank]! * width;
    const at = rank * width;
    const user = userOf[ranked[rank]!]! * width;
    copyRow(wanted, 0, usage.own, from, width);
    addRow(wanted, 0, pending, from, width);
    copyRow(room, 0, ownLimit, user, width);
    subtractRow(room, 0, ofUser, user, width);
    const isShut = arithmetic.compareRows(ofUser, user, ownLimit, user) >= 0;
    const most: TypeAmounts = arithmetic.min(wanted, room);
    const isCut = isShut ? arithmetic.isAboveZero(wanted) : most === room && arithmetic.isMore(rest, room);
    if (isCut && cutByLimit < 0 && arithmetic.isAboveZero(pending, from)) cutByLimit = rank;
    if (isShut) continue;
    copyRow(ideal, at, arithmetic.min(rest, most), 0, width);
    addRow(ofUser, user, ideal, at, width);
    subtractRow(rest, 0, ideal, at, width);
    clipRow(rest, 0, width);
    if (arithmetic.compareRows(ideal, at, usage.own, from) <= 0) continue;
    copyRow(need, at, ideal, at, width);
    subtractRow(need, at, usage.own, from, width);
  }
  return { ideal, need, covered: cover(need, leaf.freedRoom), cutByLimit, stoppedByType };
}

/** Takes freed room off needs, the most entitled first. @returns the amount that was taken off. */
function cover(need: AmountTable, freedRoom: TypeAmounts): TypeAmounts {
  const left = freedRoom.slice();
  if (isZero(left)) return left;
  for (let cell = 0; cell < need.length; cell++) {
    const place = cell % left.length;
    const covered = Math.min(need[cell]!, left[place]!);
    if (covered <= 0) continue;
    need[cell]! -= covered;
    left[place]! -= covered;
  }
  return minus(freedRoom, left);
}
