import { type Amounts, minus, plus, positive } from './amounts.js';
import type { Arithmetic } from './arithmetic.js';
import type { Application, User } from './leaf-queue.js';
import type { Move } from './matching.js';

/** How much may be taken from stand-ins of one priority: docs/reference/policies/intra-queue.md §6.4. */
export class StandInBudgets {
  private readonly ofUser = new Map<User, Amounts>();
  private common: Amounts;

  /** Filled with what applications of this priority give to higher ones, less what is leaving already. */
  constructor(
    private readonly arithmetic: Arithmetic,
    ranked: readonly Application[],
    priority: number,
    moves: readonly Move[],
  ) {
    this.common = arithmetic.zero;
    for (const { from, to, amount } of moves) {
      const { user, priority: own } = ranked[from]!;
      if (own !== priority || ranked[to]!.priority <= priority) continue;
      if (user === ranked[to]!.user || user.isOver) {
        this.ofUser.set(user, plus(this.ofUser.get(user) ?? arithmetic.zero, amount));
      } else {
        this.common = plus(this.common, amount);
      }
    }
    const leaving = new Map<User, Amounts>();
    for (const { user, inFlight, priority: own } of ranked) {
      if (own === priority) leaving.set(user, plus(leaving.get(user) ?? arithmetic.zero, inFlight));
    }
    for (const [user, amount] of leaving) this.draw(user, amount);
  }

  hasFor(user: User): boolean {
    const own = this.ofUser.get(user);
    return (
      (own !== undefined && this.arithmetic.isAboveZero(own)) || this.arithmetic.isAboveZero(this.common)
    );
  }

  draw(user: User, amount: Amounts): void {
    const own = this.ofUser.get(user);
    if (own !== undefined && this.arithmetic.isAboveZero(own)) {
      this.ofUser.set(user, positive(minus(own, amount)));
    } else {
      this.common = positive(minus(this.common, amount));
    }
  }
}
