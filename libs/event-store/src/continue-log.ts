import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';

/** The log was found in a PostgreSQL cluster that has assigned fewer transaction ids than the log has. */
export interface LogMove {
  /** The newest event that the log had at that time. */
  position: string;
  /** The offset of the ids of the log from those of the cluster from now on. */
  ahead: string;
}

/**
 * Continues the log in the current PostgreSQL cluster. A dump includes the transaction ids of the events, but not the
 * counter of the cluster. In a cluster with a lower counter, new events would not be settled, and not be read, until
 * the counter has caught up. In that case the ids of the log are moved up (`log_epoch.ahead`): new events then follow
 * all others.
 *
 * Call it before anything is read or appended, and again whenever the database may have been exchanged. If nothing has
 * to be done, it costs one statement and takes no lock.
 *
 * @returns the move, to the one caller that made it; undefined if nothing had to be done.
 */
export async function continueLog(db: DataSource): Promise<LogMove | undefined> {
  if (!(await isAhead(db))) return undefined;
  return db.transaction(async (tx) => {
    // Appenders are locked out from here to the commit. Each takes its snapshot, and with it `ahead`, after it was
    // admitted.
    await tx.query('LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE');
    if (!(await isAhead(tx))) return undefined;
    const rows = await tx.query<LogMove[]>(moveUp);
    return rows[0];
  });
}

async function isAhead(db: Tx | DataSource): Promise<boolean> {
  const rows = await db.query<{ ahead: boolean }[]>(logIsAhead);
  return rows[0]?.ahead ?? false;
}

const newest =
  'SELECT transaction_id, position FROM events ORDER BY transaction_id DESC, position DESC LIMIT 1';

// A snapshot sees rows written by transactions below its xmax: in the cluster that gave out the ids this is never true.
const logIsAhead = `
  SELECT newest.transaction_id::text::bigint
           >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + coalesce((SELECT ahead FROM log_epoch), 0) AS ahead
  FROM (${newest}) newest`;

// By the oldest running transaction, not by the next one: a transaction that received its id earlier and appends later
// also follows the newest event.
const moveUp = `
  WITH moved AS (
    INSERT INTO log_epoch (ahead)
    SELECT newest.transaction_id::text::bigint - pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 1
    FROM (${newest}) newest
    ON CONFLICT (only_row) DO UPDATE SET ahead = excluded.ahead
    RETURNING ahead
  )
  SELECT ahead::text, (SELECT max(position)::text FROM events) AS position FROM moved`;
