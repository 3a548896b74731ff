import type { DataSource } from 'typeorm';
import { type ClusterSnapshot, InputError, type OwnerBudget, type RecentVictim } from '#contracts';

/** More than this many victims in the windows of the owner budgets are treated as a mistake. */
const mostRecentVictims = 200_000;

/**
 * The snapshot with the victims that owner budgets count: those evicted within the longest window, and those of open runs,
 * which may be evicted at any moment (docs/reference/policies/victim-care.md §6). Without owner budgets the same snapshot.
 *
 * @throws InputError if there are too many.
 */
export async function withRecentVictims(
  db: DataSource,
  snapshot: ClusterSnapshot,
  ownerBudgets: readonly OwnerBudget[],
): Promise<ClusterSnapshot> {
  if (ownerBudgets.length === 0) return snapshot;
  const { partition, takenAt } = snapshot;
  const seconds = Math.max(...ownerBudgets.map(({ seconds }) => seconds));
  const rows: { user: string | null; application: string; queue: string; at: Date }[] = await db.query(
    RECENT_VICTIMS,
    [partition, takenAt, seconds, mostRecentVictims + 1],
  );
  if (rows.length > mostRecentVictims) {
    throw new InputError(
      'settings.ownerBudgets',
      `more than ${mostRecentVictims} victims within ${seconds} s are too many to count; write shorter windows`,
    );
  }
  const victims = rows.map(({ user, application, queue, at }): RecentVictim => {
    return { ...(user === null ? {} : { user }), application, queue, at: at.toISOString() };
  });
  return withFurtherVictims(snapshot, victims);
}

/** The same snapshot, in which owner budgets count these victims too. */
export function withFurtherVictims(
  snapshot: ClusterSnapshot,
  victims: readonly RecentVictim[],
): ClusterSnapshot {
  if (victims.length === 0) return snapshot;
  return { ...snapshot, recentVictims: [...(snapshot.recentVictims ?? []), ...victims] };
}

/**
 * $1 partition, $2 time of the snapshot, $3 seconds, $4 the maximum number. One statement, so that a run that ends meanwhile is counted
 * once. Planned victims have the time of the snapshot: a budget of 0 seconds counts those of its own plan alone.
 */
const RECENT_VICTIMS = `
  SELECT * FROM (
    SELECT owner AS "user", application, queue, date_trunc('milliseconds', evicted_at) AS at, enforcement, allocation
    FROM recent_victims
    WHERE partition = $1 AND evicted_at > $2::timestamptz - make_interval(secs => $3)
    UNION ALL
    SELECT owner, application, queue, $2::timestamptz, enforcement, allocation
    FROM planned_victims
    WHERE partition = $1 AND application IS NOT NULL
  ) AS victims
  ORDER BY at, enforcement, allocation
  LIMIT $4`;
