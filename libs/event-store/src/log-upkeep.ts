import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';

/*
 * The log is a table with partitions by the time of recording, a month each (UTC). `log_partitions` lists them; the
 * first one holds all earlier events. `events_rest` takes events without a partition, so that an event is never
 * refused.
 */

/** The number of future months with a partition, which need no maintenance. */
const monthsAhead = 2;
/** One process at a time; the others find nothing left to do. */
const turn = 'add-log-partitions';

/**
 * Adds partitions for future months. If none is missing, it costs one statement. Attaching waits for a lock, which
 * others would queue behind, for a second at most, and is retried by the next call.
 *
 * @returns the names of the partitions that were added.
 * @throws QueryFailedError 55P03 if the lock was not granted.
 */
export async function addPartitionsAhead(db: DataSource): Promise<string[]> {
  if (!(await isMissing(db))) return [];
  return db.transaction(async (tx) => {
    await tx.query("SET LOCAL lock_timeout = '1s'");
    await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [turn]);
    const added: string[] = [];
    const rest = (await isMissing(tx)) && (await takeRestAway(tx));
    while (await isMissing(tx)) {
      const rows = await tx.query<{ name: string }[]>(
        'SELECT add_log_partition(max(ends_at)) AS name FROM log_partitions',
      );
      added.push(...rows.map(({ name }) => name));
    }
    if (rest) await putRestBack(tx);
    return added;
  });
}

async function isMissing(db: Tx | DataSource): Promise<boolean> {
  const [row] = await db.query<{ missing: boolean }[]>(
    `SELECT max(ends_at) < date_trunc('month', clock_timestamp(), 'UTC') + make_interval(months => $1) AS missing
     FROM log_partitions`,
    [monthsAhead + 1],
  );
  return row?.missing ?? false;
}

/** Events in `events_rest` block the creation of their own partition. @returns whether there are any. */
async function takeRestAway(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ rows: boolean }[]>('SELECT EXISTS (SELECT FROM events_rest) AS rows');
  if (!row?.rows) return false;
  await tx.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
  await tx.query('CREATE TEMP TABLE events_left ON COMMIT DROP AS SELECT * FROM events_rest');
  await tx.query('TRUNCATE events_rest');
  return true;
}

/** The heads of their streams and their ids are kept: only the rows are rewritten. */
async function putRestBack(tx: Tx): Promise<void> {
  await tx.query('ALTER TABLE events DISABLE TRIGGER events_appended');
  await tx.query('INSERT INTO events SELECT * FROM events_left');
  await tx.query('ALTER TABLE events ENABLE TRIGGER events_appended');
}

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
