import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockBriefly } from './brief-lock.js';

/**
 * When an event was recorded, by the clock of the database: the log is to be partitioned by it. `time` is no good for that, it is
 * when a thing happened. Events that are there already get the time of this migration, as a default that is stored once and not in
 * each row, so nothing is rewritten.
 *
 * All of the log so far is to become the first partition, which ends with the month; the check that says so is not validated here,
 * where the table is locked.
 */
export class RecordedAt1763740029400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await lockBriefly(runner, 'events');
    const [{ now, ends }] = await runner.query(`
      SELECT now()::text AS now,
             (date_trunc('month', now() + interval '2 days', 'UTC') + interval '1 month')::text AS ends`);
    await runner.query(`ALTER TABLE events ADD COLUMN recorded_at timestamptz NOT NULL DEFAULT '${now}'`);
    await runner.query('ALTER TABLE events ALTER COLUMN recorded_at SET DEFAULT clock_timestamp()');
    await runner.query(
      `ALTER TABLE events ADD CONSTRAINT events_first_ends CHECK (recorded_at < '${ends}') NOT VALID`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events DROP COLUMN recorded_at');
  }
}
