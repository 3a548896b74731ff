import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Long plans are stored packed (packed-data.ts of the event store): without `data`, compressed in `packed`, and their short fields in
 * `outline`.
 *
 * Beside the release before: it appends `data`, as before. It waits at a packed event, because of the schema version.
 */
export class PackedEvents1763745780000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events ADD COLUMN outline json, ADD COLUMN packed bytea');
    await runner.query('ALTER TABLE events ALTER COLUMN data DROP NOT NULL');
    // The server would try in vain to compress it once more. Partitions that are added later take this over from the log.
    await runner.query('ALTER TABLE events ALTER COLUMN packed SET STORAGE EXTERNAL');
    await runner.query(addLogPartition('INCLUDING DEFAULTS INCLUDING STORAGE'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(addLogPartition('INCLUDING DEFAULTS'));
    // Fails while there are packed events: their data would be lost.
    await runner.query('ALTER TABLE events ALTER COLUMN data SET NOT NULL');
    await runner.query('ALTER TABLE events DROP COLUMN outline, DROP COLUMN packed');
  }
}

/** The function that adds a partition; `likeLog`: what that takes over from the log. */
const addLogPartition = (likeLog: string) => `
  CREATE OR REPLACE FUNCTION add_log_partition(starts timestamptz) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    name text := 'events_' || to_char(starts AT TIME ZONE 'UTC', 'YYYY_MM');
    ends timestamptz := date_trunc('month', starts, 'UTC') + interval '1 month';
  BEGIN
    -- Beside the log at first: to attach it takes a lock that lets others read and append.
    EXECUTE format('CREATE TABLE %I (LIKE events ${likeLog})', name);
    PERFORM index_log_partition(name);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
    INSERT INTO log_partitions (name, starts_at, ends_at) VALUES (name, starts, ends);
    RETURN name;
  END $$`;
