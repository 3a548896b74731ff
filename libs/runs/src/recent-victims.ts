import type { DataSource } from 'typeorm';
import { victimsKeptDays } from '#contracts';
import { deleteOldest, enforcementStream, type Tx } from '#event-store';

/** Deletes victims that no owner budget counts any more. @returns their number; fewer than `limit` if none is left. */
export function trimRecentVictims(db: DataSource, limit: number): Promise<number> {
  const isOver = 'evicted_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'recent_victims', { key: ['evicted_at'], isOver, days: victimsKeptDays, limit });
}

/**
 * Plans with owner budgets are recorded one at a time in a partition. So each plan sees all those with an earlier `counted_at`
 * when it is carried out, and of two that were made without knowing of one another, by the same budgets, the later one gives way. Of two
 * with different budgets (`counted_for`) each gives way: neither has counted by the budgets of the other.
 */
export async function turnOfOwnerBudgets(tx: Tx, partitions: Iterable<string>): Promise<void> {
  const keys = [...new Set(partitions)].sort().map((partition) => `owner-budgets/${partition}`);
  for (const key of keys) await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
}

/**
 * Part of a statement, $1 runs: deletes their planned victims, and makes those recent that have events in their streams which a condition
 * selects. An event without the fields of a victim is damaged, and must not keep a lock from being released. Each event is selected first
 * and then read once: a run may have a hundred thousand.
 *
 * @param condition on the event `e`.
 */
export const plannedToRecent = (condition: string) => `
  forgotten AS (DELETE FROM planned_victims WHERE enforcement = ANY ($1::text[]))
  INSERT INTO recent_victims (enforcement, allocation, partition, application, queue, owner, evicted_at, resources, configuration)
  SELECT run, victim.allocation, event.partition, victim.application, victim."victimQueue", planned.owner, event.recorded_at,
         coalesce(victim.resources, planned.resources),
         (SELECT configuration FROM runs WHERE enforcement = run)
  FROM unnest($1::text[]) AS ended (run)
    CROSS JOIN LATERAL (
      SELECT partition, recorded_at, data FROM events e
      WHERE e.stream = '${enforcementStream('')}' || run AND (${condition})
      OFFSET 0) event
    CROSS JOIN LATERAL json_to_record(CASE WHEN json_typeof(event.data) = 'object' THEN event.data END)
      AS victim (allocation text, application text, "victimQueue" text, resources jsonb)
    LEFT JOIN planned_victims planned ON planned.enforcement = run AND planned.allocation = victim.allocation
  WHERE victim.allocation IS NOT NULL AND victim.application IS NOT NULL AND victim."victimQueue" IS NOT NULL`;
