import type { BudgetColumns } from './budget-columns.js';

/** How many victims each disruption budget has: docs/reference/policies/victim-care.md §5. */
export class BudgetCounts {
  private readonly victims: Int32Array;
  /** How many budgets allow no further victim. */
  private full = 0;

  constructor(readonly columns: BudgetColumns) {
    this.victims = new Int32Array(columns.ids.length);
    for (const allowed of columns.allowed) if (allowed === 0) this.full++;
  }

  get isAnyFull(): boolean {
    return this.full > 0;
  }

  /** The rest of a budget; below 0 where more was taken than it allows. */
  allowance(budget: number): number {
    return this.columns.allowed[budget]! - this.victims[budget]!;
  }

  refuses(allocation: number): boolean {
    const { first, list, allowed } = this.columns;
    for (let i = first[allocation]!, end = first[allocation + 1]!; i < end; i++) {
      const budget = list[i]!;
      if (this.victims[budget]! >= allowed[budget]!) return true;
    }
    return false;
  }

  /** The budgets of which more was taken than they allow, by id. */
  passed(): number[] {
    const passed: number[] = [];
    for (let budget = 0; budget < this.victims.length; budget++) {
      if (this.allowance(budget) < 0) passed.push(budget);
    }
    return passed;
  }

  /** The budgets with too little left for members, by id; `inBudget`: how many members stand in each. */
  refusing(inBudget: ReadonlyMap<number, number>): number[] {
    return [...inBudget]
      .filter(([budget, members]) => members > this.allowance(budget))
      .map(([budget]) => budget)
      .sort((a, b) => a - b);
  }

  membersIn(allocations: Iterable<number>): Map<number, number> {
    const { first, list } = this.columns;
    const inBudget = new Map<number, number>();
    for (const a of allocations) {
      for (let i = first[a]!; i < first[a + 1]!; i++)
        inBudget.set(list[i]!, (inBudget.get(list[i]!) ?? 0) + 1);
    }
    return inBudget;
  }

  hasSeveral(allocation: number): boolean {
    return this.columns.first[allocation + 1]! - this.columns.first[allocation]! > 1;
  }

  /** @param sign 1 for a victim, -1 for one that is given back. */
  count(allocation: number, sign: 1 | -1): void {
    const { first, list, allowed } = this.columns;
    for (let i = first[allocation]!, end = first[allocation + 1]!; i < end; i++) {
      const budget = list[i]!;
      const before = this.victims[budget]!;
      const after = before + sign;
      const most = allowed[budget]!;
      this.victims[budget] = after;
      if (before >= most !== after >= most) this.full += sign;
    }
  }
}
