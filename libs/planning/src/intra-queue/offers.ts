import { type Amounts, type AmountTable, addRow, clipRow, copyRow, isZero, subtractRow } from './amounts.js';
import type { Arithmetic } from './arithmetic.js';
import type { LeafQueue } from './leaf-queue.js';
import type { Round } from './round.js';

export interface Offers {
  /** By rank in the order of precedence. */
  readonly offer: AmountTable;
  /** The applications whose whole spare is kept back as the dead zone, by rank, the least entitled first. */
  readonly keptBack: readonly number[];
}

/** The amounts that applications could give if no ceiling held: docs/reference/policies/intra-queue.md §5.4. */
export function freeOffers(round: Round, leaf: LeafQueue, ranked: Int32Array, ideal: AmountTable): Offers {
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
export function offersBelow(ceiling: Amounts, free: Offers, arithmetic: Arithmetic): Offers {
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

export function sumOf({ offer }: Offers, { zero, width }: Arithmetic): Amounts {
  const sum = zero.slice();
  for (let at = 0; at < offer.length; at += width) addRow(sum, 0, offer, at, width);
  return sum;
}
