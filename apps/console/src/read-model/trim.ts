import type { DataSource } from 'typeorm';
import { deleteOldest } from '#event-store';
import type { Trimmed } from '#runtime';

const runsAtOnce = 100;
const victimsAtOnce = 5000;

/** Ended runs, oldest first; a run is deleted after its victims, of which it may have very many. */
export async function trimRuns(db: DataSource, days: number): Promise<Trimmed> {
  const rows = await db.query<{ runs: number; victims: number }[]>(
    `WITH due AS MATERIALIZED (
       SELECT enforcement FROM read_runs
       WHERE ended_at < now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ), of_due AS MATERIALIZED (
       SELECT v.enforcement, v.allocation FROM due JOIN read_victims v USING (enforcement) LIMIT $3
     ), victims AS (
       DELETE FROM read_victims v USING of_due o WHERE v.enforcement = o.enforcement AND v.allocation = o.allocation
       RETURNING 1
     ), runs AS (
       DELETE FROM read_runs e USING due
       WHERE e.enforcement = due.enforcement AND (SELECT count(*) FROM of_due) < $3
       RETURNING 1
     )
     SELECT (SELECT count(*)::int FROM runs) AS runs, (SELECT count(*)::int FROM victims) AS victims`,
    [days, runsAtOnce, victimsAtOnce],
  );
  const { runs, victims } = rows[0]!;
  return { rows: runs + victims, more: victims >= victimsAtOnce || runs >= runsAtOnce };
}

/**
 * Deletes notices older than a number of days. Their numbers rise with their times closely enough to find the oldest by number.
 *
 * @returns how many were deleted; fewer than `limit` means that none is left.
 */
export function trimNotices(db: DataSource, days: number, limit: number): Promise<number> {
  const isOver = 'at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'read_notices', { key: ['id'], isOver, days, limit });
}
