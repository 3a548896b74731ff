import { type Amounts, minus, plus, positive } from './amounts.js';
import type { Application, LeafQueue } from './leaf-queue.js';
import type { Round } from './round.js';

export interface Offers {
  /** By rank in the order of precedence. */
  readonly offer: readonly Amounts[];
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
  ranked: readonly Application[],
  ideal: readonly Amounts[],
  ceiling: Amounts | null,
): Offers {
  const { arithmetic, minimumAllocation } = round;
  const offer: Amounts[] = ranked.map(() => arithmetic.zero);
  const keptBack: number[] = [];
  let sum = arithmetic.zero;
  let left = ceiling;
  for (let rank = ranked.length - 1; rank >= 0; rank--) {
    if (left !== null && !arithmetic.isAboveZero(left)) break;
    const { used, fixed } = ranked[rank]!;
    if (!arithmetic.isAboveZero(used)) continue;
    let spare = positive(minus(positive(minus(used, ideal[rank]!)), fixed));
    if (leaf.policy === 'userlimit-first') {
      const whole = spare;
      spare = positive(minus(whole, minimumAllocation));
      if (arithmetic.isAboveZero(whole) && !arithmetic.isAboveZero(spare)) keptBack.push(rank);
    }
    const offered = left === null ? spare : arithmetic.min(spare, left);
    offer[rank] = offered;
    sum = plus(sum, offered);
    if (left !== null) left = positive(minus(left, offered));
  }
  return { offer, sum, keptBack };
}
