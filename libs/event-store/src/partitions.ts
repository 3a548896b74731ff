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
