import type { DataSource } from 'typeorm';

/**
 * Gives an empty log partitions for months that are over: the first one ends `months` before this month, a partition for each of those
 * and for this one and the next stand behind it.
 */
export async function withPastMonths(db: DataSource, months: number): Promise<void> {
  const [dropped] = await db.query<[{ name: string }[], number]>(
    "DELETE FROM log_partitions WHERE starts_at > '-infinity' RETURNING name",
  );
  for (const { name } of dropped) await db.query(`DROP TABLE ${name}`);
  await db.query('ALTER TABLE events DETACH PARTITION events_first');
  await db.query(
    "UPDATE log_partitions SET ends_at = date_trunc('month', now(), 'UTC') - make_interval(months => $1)",
    [months],
  );
  const [{ ends }] = await db.query('SELECT ends_at::text AS ends FROM log_partitions');
  await db.query(
    `ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM (MINVALUE) TO ('${ends}')`,
  );
  for (let n = 0; n < months + 2; n++) {
    await db.query('SELECT add_log_partition(max(ends_at)) FROM log_partitions');
  }
}

/** From here on events are recorded at these moments, an expression of SQL; absent: when they are, as it is. */
export function recordAt(db: DataSource, moment = 'clock_timestamp()'): Promise<unknown> {
  return db.query(`ALTER TABLE events ALTER COLUMN recorded_at SET DEFAULT ${moment}`);
}
