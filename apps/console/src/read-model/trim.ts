import type { DataSource } from 'typeorm';
import { deleteOldest } from '#event-store';
import type { Trimmed } from '#runtime';
import { deleteEndedRuns } from './statements.js';

const runsAtOnce = 100;
const victimsAtOnce = 5000;

/** Ended runs, oldest first; a run is deleted after its victims, of which it may have very many. */
export async function trimRuns(db: DataSource, days: number): Promise<Trimmed> {
  const rows = await deleteEndedRuns(db, days, runsAtOnce, victimsAtOnce);
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
