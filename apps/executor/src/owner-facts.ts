import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type OwnerFacts, ownerBudgetsOf, ownerNames, type PlannedVictim, type RunState } from '#enforcement';
import { countedFor, countOfOthers } from '#runs';

/**
 * Counts the victims of owners in other runs right before an eviction, for plans with owner budgets
 * (docs/reference/policies/victim-care.md §6).
 */
@Injectable()
export class FindOwnerFacts {
  constructor(private readonly db: DataSource) {}

  /** Of each victim; undefined without owner budgets. */
  async of(state: RunState, victims: readonly PlannedVictim[]): Promise<OwnerFacts[] | undefined> {
    const budgets = ownerBudgetsOf(state);
    if (!state.planned || budgets.length === 0) return undefined;
    const nameOf = ownerNames(state);
    const keyOf = (entry: number, victim: PlannedVictim) =>
      JSON.stringify([entry, nameOf(budgets[entry]!.per, victim)]);
    const counts = new Map<string, number>();
    const own = countedFor(budgets);
    for (const [entry, budget] of budgets.entries()) {
      const names = [...new Set(victims.map((victim) => nameOf(budget.per, victim)))];
      const found = await countOfOthers(this.db, state.planned, budget, own, names);
      for (const [i, name] of names.entries()) counts.set(JSON.stringify([entry, name]), found[i] ?? 0);
    }
    return victims.map((victim) => ({
      ofOthers: budgets.map((_, entry) => counts.get(keyOf(entry, victim))!),
    }));
  }
}
