import { addRow, clipRow, isZero, subtractRow, type TypeAmounts } from './amounts.js';
import type { Users } from './leaf-queue.js';
import type { Moves } from './move-list.js';
import type { InQueueRound } from './round.js';

/** How much may be taken from stand-ins of one priority: docs/reference/policies/intra-queue.md §6.4. */
export class StandInBudgets {
  /** By user. */
  private readonly ofUser = new Map<number, TypeAmounts>();
  private readonly common: TypeAmounts;

  /**
   * Filled with what applications of this priority give to higher ones, less what is leaving already.
   *
   * @param ofPriority the ranks of the priority: those from `first` below `end`.
   * @param toHigher the numbers of the moves from applications of the priority to those of higher ones.
   */
  constructor(
    private readonly round: InQueueRound,
    users: Users,
    ranked: Int32Array,
    ofPriority: { readonly first: number; readonly end: number },
    moves: Moves,
    toHigher: readonly number[],
  ) {
    const { arithmetic, userOf, usage } = round;
    const { width } = arithmetic;
    this.common = arithmetic.zero.slice();
    for (const move of toHigher) {
      const user = userOf[ranked[moves.from[move]!]!]!;
      const isOfUser = user === userOf[ranked[moves.to[move]!]!] || users.isOver[user] === 1;
      const budget = isOfUser ? this.budgetOf(user) : this.common;
      for (let place = 0; place < width; place++) budget[place]! += moves.amount[move * width + place]!;
    }
    const leaving = new Map<number, TypeAmounts>();
    for (let rank = ofPriority.first; rank < ofPriority.end; rank++) {
      const application = ranked[rank]!;
      if (isZero(usage.inFlight, application * width, width)) continue;
      const user = userOf[application]!;
      let ofUser = leaving.get(user);
      if (ofUser === undefined) {
        ofUser = arithmetic.zero.slice();
        leaving.set(user, ofUser);
      }
      addRow(ofUser, 0, usage.inFlight, application * width, width);
    }
    for (const [user, amount] of leaving) this.draw(user, amount);
  }

  hasFor(user: number): boolean {
    const { arithmetic } = this.round;
    const own = this.ofUser.get(user);
    return (own !== undefined && arithmetic.isAboveZero(own)) || arithmetic.isAboveZero(this.common);
  }

  draw(user: number, amount: TypeAmounts): void {
    const own = this.ofUser.get(user);
    const budget = own !== undefined && this.round.arithmetic.isAboveZero(own) ? own : this.common;
    subtractRow(budget, 0, amount, 0, amount.length);
    clipRow(budget, 0, amount.length);
  }

  private budgetOf(user: number): TypeAmounts {
    let budget = this.ofUser.get(user);
    if (budget === undefined) {
      budget = this.round.arithmetic.zero.slice();
      this.ofUser.set(user, budget);
    }
    return budget;
  }
}
