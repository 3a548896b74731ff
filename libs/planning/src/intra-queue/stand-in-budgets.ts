import { type Amounts, minus, plus, positive } from './amounts.js';
import type { Users } from './leaf-queue.js';
import type { Moves } from './matching.js';
import type { Round } from './round.js';

/** How much may be taken from stand-ins of one priority: docs/reference/policies/intra-queue.md §6.4. */
export class StandInBudgets {
  /** By user. */
  private readonly ofUser = new Map<number, Amounts>();
  private common: Amounts;

  /**
   * Filled with what applications of this priority give to higher ones, less what is leaving already.
   *
   * @param ofPriority the ranks of the priority.
   * @param toHigher the numbers of the moves from applications of the priority to those of higher ones.
   */
  constructor(
    private readonly round: Round,
    users: Users,
    ranked: Int32Array,
    ofPriority: readonly number[],
    moves: Moves,
    toHigher: readonly number[],
  ) {
    const { arithmetic, userOf, usage } = round;
    this.common = arithmetic.zero;
    for (const move of toHigher) {
      const user = userOf[ranked[moves.from[move]!]!]!;
      const amount = Float64Array.from(
        arithmetic.zero,
        (_, place) => moves.amount[move * arithmetic.width + place]!,
      );
      if (user === userOf[ranked[moves.to[move]!]!] || users.isOver[user] === 1) {
        this.ofUser.set(user, plus(this.ofUser.get(user) ?? arithmetic.zero, amount));
      } else {
        this.common = plus(this.common, amount);
      }
    }
    const leaving = new Map<number, Amounts>();
    for (const rank of ofPriority) {
      const application = ranked[rank]!;
      const user = userOf[application]!;
      const inFlight = arithmetic.row(usage.inFlight, application);
      leaving.set(user, plus(leaving.get(user) ?? arithmetic.zero, inFlight));
    }
    for (const [user, amount] of leaving) this.draw(user, amount);
  }

  hasFor(user: number): boolean {
    const { arithmetic } = this.round;
    const own = this.ofUser.get(user);
    return (own !== undefined && arithmetic.isAboveZero(own)) || arithmetic.isAboveZero(this.common);
  }

  draw(user: number, amount: Amounts): void {
    const own = this.ofUser.get(user);
    if (own !== undefined && this.round.arithmetic.isAboveZero(own)) {
      this.ofUser.set(user, positive(minus(own, amount)));
    } else {
      this.common = positive(minus(this.common, amount));
    }
  }
}
