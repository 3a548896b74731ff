import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { OwnerBudget } from '#contracts';
import { type OwnerFacts, ownerBudgetsOf, ownerNames, type PlannedVictim, type RunState } from '#enforcement';
import { countedFor } from '#runs';

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
      const found = await this.count(state.planned, budget, own, names);
      for (const [i, name] of names.entries()) counts.set(JSON.stringify([entry, name]), found[i] ?? 0);
    }
    return victims.map((victim) => ({
      ofOthers: budgets.map((_, entry) => counts.get(keyOf(entry, victim))!),
    }));
  }

  /** One number for each name. */
  private async count(
    { partition, enforcement }: { partition: string; enforcement: string },
    { per, seconds }: OwnerBudget,
    own: string,
    names: string[],
  ): Promise<number[]> {
    const owner = { user: "coalesce(owner, '')", application: 'application', queue: 'queue' }[per];
    const rows: { name: string; count: number }[] = await this.db.query(OTHERS(owner), [
      partition,
      enforcement,
      seconds,
      names,
      own,
    ]);
    const counts = new Map(rows.map(({ name, count }) => [name, count]));
    return names.map((name) => counts.get(name) ?? 0);
  }
}

/**
 * $1 partition, $2 run, $3 seconds, $4 names of owners, $5 the budgets of the run. Victims that other runs have planned count as evicted,
 * except those of plans with the same budgets that were recorded later: these have counted the victims of this run. A plan with other
 * budgets has not counted them by these. A budget of 0 seconds counts its own plan alone.
 */
const OTHERS = (owner: string) => `
  SELECT name, count(*)::int AS count FROM (
    SELECT ${owner} AS name FROM recent_victims
    WHERE partition = $1 AND enforcement <> $2 AND evicted_at > clock_timestamp() - make_interval(secs => $3)
    UNION ALL
    SELECT ${owner} FROM planned_victims
    WHERE partition = $1 AND enforcement <> $2 AND application IS NOT NULL AND $3::float8 > 0
      AND (counted_at IS NULL OR counted_for IS DISTINCT FROM $5::text
           OR counted_at < coalesce((SELECT max(counted_at) FROM planned_victims WHERE enforcement = $2), 'infinity'))
  ) AS victims
  WHERE name = ANY ($4::text[]) GROUP BY name`;
