import { type Amounts, type AmountTable, addRow, clipRow, copyRow, subtractRow } from './amounts.js';
import type { LeafQueue } from './leaf-queue.js';
import type { Round } from './round.js';

export interface Offers {
  /** By rank in the order of precedence. */
  readonly offer: AmountTable;
  readonly sum: Amounts;
  /** The applications whose whole spare is kept back as the dead zone, by rank. */
  readonly keptBack: readonly number[];
}

/**
 * The amounts that applications could give, the least entitled first: docs/reference/policies/intra-queue.md §5.4.
 *
 * @param ceiling what they may offer together; null = no limit.
 */
export function offersOf(
  round: Round,
  leaf: LeafQueue,
  ranked: Int32Array,
  ideal: AmountTable,
  ceiling: Amounts | null,
): Offers {
  const { arithmetic, minimumAllocation } = round;
  const { used, fixed } = round.usage;
  const { width } = arithmetic;
  const offer = new Float64Array(ideal.length);
  const keptBack: number[] = [];
  const sum = arithmetic.zero.slice();
  const left = ceiling === null ? null : ceiling.slice();
  const spare = arithmetic.zero.slice();
  for (let rank = ranked.length - 1; rank >= 0; rank--) {
    if (left !== null && !arithmetic.isAboveZero(left)) break;
    const from = ranked[rank]! * width;
    if (!arithmetic.isAboveZero(used, from)) continue;
    const at = rank * width;
    copyRow(spare, 0, used, from, width);
    subtractRow(spare, 0, ideal, at, width);
    clipRow(spare, 0, width);
    subtractRow(spare, 0, fixed, from, width);
    clipRow(spare, 0, width);
    if (leaf.policy === 'userlimit-first') {
      const hasSpare = arithmetic.isAboveZero(spare);
      subtractRow(spare, 0, minimumAllocation, 0, width);
      clipRow(spare, 0, width);
      if (hasSpare && !arithmetic.isAboveZero(spare)) keptBack.push(rank);
    }
    copyRow(offer, at, left === null ? spare : arithmetic.min(spare, left), 0, width);
    addRow(sum, 0, offer, at, width);
    if (left === null) continue;
    subtractRow(left, 0, offer, at, width);
    clipRow(left, 0, width);
  }
  return { offer, sum, keptBack };
}
