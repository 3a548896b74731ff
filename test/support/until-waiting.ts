import type { DataSource } from 'typeorm';

/** Until so many statements of this database wait for a lock that another transaction has. */
export async function untilWaiting(db: DataSource, count = 1): Promise<void> {
  for (let waiting = 0; waiting < count; ) {
    [{ waiting }] = await db.query<[{ waiting: number }]>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
  }
}
