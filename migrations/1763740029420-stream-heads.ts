import type { MigrationInterface, QueryRunner } from 'typeorm';

const streamsAtOnce = 5000;

/**
 * The last version of each stream, and the ids of events: what keeps (stream, version) and ids unique in a log whose partitions have
 * indexes of their own only. A trigger keeps both, so processes of earlier releases do it too.
 *
 * A head is locked by who appends to its stream, to the end of the transaction, as the entry of the unique index was before. Ids of
 * events from before this migration stay in the index of the first partition, where the trigger of the partitioned log reads too.
 */
export class StreamHeads1763740029420 implements MigrationInterface {
  /** The heads of the streams there are come in steps that are committed one by one: a long transaction holds back all readers. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.startTransaction();
    try {
      await runner.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
      await this.create(runner);
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
    for (let after = ''; ; ) {
      const [{ last }] = await runner.query(
        `WITH heads AS MATERIALIZED (
           SELECT stream, max(version) AS version FROM events WHERE stream > $1
           GROUP BY stream ORDER BY stream LIMIT $2
         ), noted AS (
           INSERT INTO stream_heads (stream, version, from_version) SELECT stream, version, version FROM heads
           ON CONFLICT DO NOTHING)
         SELECT max(stream) AS last FROM heads`,
        [after, streamsAtOnce],
      );
      if (last === null) break;
      after = last;
    }
  }

  /** May be repeated: where the process ended in the middle of the steps, all of this is done again. */
  private async create(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS stream_heads (
        stream text COLLATE "C" PRIMARY KEY,
        version integer NOT NULL,
        -- The first version of the append that came last.
        from_version integer NOT NULL,
        -- The partition with which its events went out of the database.
        archived_in text
      ) WITH (fillfactor = 80)`);
    await runner.query(`
      CREATE TABLE IF NOT EXISTS event_ids (
        id uuid PRIMARY KEY,
        recorded_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE OR REPLACE FUNCTION note_appended() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        streams bigint;
        noted bigint;
        twice boolean;
      BEGIN
        SELECT count(DISTINCT stream), count(*) <> count(DISTINCT (stream, version)) INTO streams, twice FROM added;
        INSERT INTO stream_heads AS head (stream, version, from_version)
        SELECT stream, max(version), min(version)
        FROM added GROUP BY stream ORDER BY stream
        ON CONFLICT (stream) DO UPDATE SET version = excluded.version, from_version = excluded.from_version
          WHERE head.version < excluded.from_version;
        GET DIAGNOSTICS noted = ROW_COUNT;
        IF twice OR noted <> streams THEN
          RAISE unique_violation USING MESSAGE = 'a stream has an event of this version already',
            TABLE = 'events', CONSTRAINT = 'events_stream_version';
        END IF;
        INSERT INTO event_ids (id, recorded_at) SELECT id, recorded_at FROM added;
        RETURN NULL;
      END $$`);
    await runner.query('DROP TRIGGER IF EXISTS events_appended ON events');
    await runner.query(`
      CREATE TRIGGER events_appended AFTER INSERT ON events REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION note_appended()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER events_appended ON events');
    await runner.query('DROP FUNCTION note_appended()');
    await runner.query('DROP TABLE event_ids');
    await runner.query('DROP TABLE stream_heads');
  }
}
