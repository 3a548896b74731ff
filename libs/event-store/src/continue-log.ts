import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';

/** The log was found in a PostgreSQL cluster that has given out fewer transaction ids than the log has. */
export interface LogMove {
  /** The newest event that the log had at that time. */
  position: string;
  /** By how much the ids of the log run ahead of those of the cluster from now on. */
  ahead: string;
}

/**
 * Has the log go on in the PostgreSQL cluster that it is in now. A dump takes the transaction ids of the events along, but not the
 * counter of the cluster. In a cluster whose counter is lower, new events would not be settled, and no one would read them, until it
 * has caught up. Where that is so, the ids of the log are moved up (`log_epoch.ahead`): new events then come after all others.
 *
 * To be called before anything is read or appended, and again whenever the database may have been exchanged. A log that is in its
 * place costs one statement and takes no lock.
 *
 * @returns the move, to the one caller that made it; undefined if there was nothing to do.
 */
export async function continueLog(db: DataSource): Promise<LogMove | undefined> {
  if (!(await isAhead(db))) return undefined;
  return db.transaction(async (tx) => {
    // Appenders keep out from here to the commit. Each takes its snapshot, and with it `ahead`, after it was let in.
    await tx.query('LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE');
    if (!(await isAhead(tx))) return undefined;
    const rows: LogMove[] = await tx.query(moveUp);
    return rows[0];
  });
}

async function isAhead(db: Tx | DataSource): Promise<boolean> {
  const rows: { ahead: boolean }[] = await db.query(logIsAhead);
  return rows[0]?.ahead ?? false;
}

const newest =
  'SELECT transaction_id, position FROM events ORDER BY transaction_id DESC, position DESC LIMIT 1';

// A snapshot sees rows written by transactions below its xmax: in the cluster that gave out the ids this is never true.
const logIsAhead = `
  SELECT newest.transaction_id::text::bigint
           >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + coalesce((SELECT ahead FROM log_epoch), 0) AS ahead
  FROM (${newest}) newest`;

// By the oldest transaction that still runs, not by the next one: whatever got its id before this and appends after it comes after
// the newest event too.
const moveUp = `
  WITH moved AS (
    INSERT INTO log_epoch (ahead)
    SELECT newest.transaction_id::text::bigint - pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 1
    FROM (${newest}) newest
    ON CONFLICT (only_row) DO UPDATE SET ahead = excluded.ahead
    RETURNING ahead
  )
  SELECT ahead::text, (SELECT max(position)::text FROM events) AS position FROM moved`;
