import type { DataSource } from 'typeorm';
import type { PartitionPolicies } from '#configuration';
import { roundPolicies } from '#rounds';
import { nextRoundAt } from './next-round.js';

interface RoundClocks {
  partition: string;
  policies: PartitionPolicies;
  /** By policy. */
  timers: Record<string, string>;
  /** A round, or a run that outlived its round: a change of settings ends it. */
  underWay: boolean;
  now: Date;
}

/** $1 partitions, $2 the policies that plan in rounds. */
const ROUND_CLOCKS = `
  SELECT wanted.partition, coalesce(p.policies, '{}') AS policies, clock_timestamp() AS now,
         (SELECT coalesce(json_object_agg(t.kind, t.due_at), '{}') FROM timers t
          WHERE t.partition = wanted.partition AND t.kind = ANY ($2::text[])) AS timers,
         EXISTS (SELECT FROM rounds r WHERE r.partition = wanted.partition AND r.state <> 'over')
           OR EXISTS (SELECT FROM runs WHERE runs.partition = wanted.partition AND own_lock) AS "underWay"
  FROM unnest($1::text[]) AS wanted (partition) LEFT JOIN partitions p ON p.partition = wanted.partition`;

/**
 * Those of the partitions whose configuration in force changes their rounds, with one statement for all: most configurations change
 * quotas alone. It takes no locks, so a partition is among them also where another process may be about to change its rounds.
 */
export async function changedRounds(
  db: DataSource,
  partitions: readonly string[],
  usualIntervalMs: number,
): Promise<string[]> {
  if (partitions.length === 0) return [];
  const rows = await db.query<RoundClocks[]>(ROUND_CLOCKS, [
    [...new Set(partitions)],
    [...roundPolicies.names],
  ]);
  return rows.filter((row) => !areKept(row, usualIntervalMs)).map(({ partition }) => partition);
}

function areKept({ policies, timers, underWay, now }: RoundClocks, usualIntervalMs: number): boolean {
  if (underWay) return false;
  return [...roundPolicies].every((policy) => {
    const intervalMs = policy.intervalMs(policies[policy.name], usualIntervalMs);
    const timer = timers[policy.name];
    if (intervalMs === undefined || timer === undefined)
      return intervalMs === undefined && timer === undefined;
    const dueAt = new Date(timer);
    // One that is due is about to be set again.
    return dueAt > now && dueAt <= nextRoundAt(now, now, intervalMs);
  });
}
