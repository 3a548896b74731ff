import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The log becomes a table with partitions by the time of recording, a month each. The table so far is the first of them, with its
 * indexes, and nothing is copied or read. `events_rest` takes what no other partition takes: an event is never refused because
 * no process has made room for it.
 *
 * Indexes are those of the partitions, not of the log: unique ones would have to hold the time of recording. `note_appended` keeps
 * (stream, version) and ids unique across all of them.
 *
 * Beside the release before: it goes on reading and appending to `events`, which is the partitioned table from the commit of this on; what
 * is locked is locked for changes of the catalog only.
 */
export class PartitionedLog1763740029430 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const [{ ends }] = await runner.query(`
      SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''')::timestamptz::text AS ends FROM pg_constraint
      WHERE conname = 'events_first_ends' AND conrelid = 'events'::regclass`);
    await runner.query('ALTER TABLE events RENAME TO events_first');
    // The unique (stream, version) keeps its name: processes of earlier releases tell a conflict of versions by it.
    for (const name of ['events_pkey', 'events_id']) {
      await runner.query(
        `ALTER TABLE events_first RENAME CONSTRAINT ${name} TO ${name.replace('events', 'events_first')}`,
      );
    }
    for (const name of ['events_commit_order', 'events_key']) {
      await runner.query(`ALTER INDEX ${name} RENAME TO ${name.replace('events', 'events_first')}`);
    }
    const [{ next }] = await runner.query(
      'SELECT coalesce(max(position), 0)::bigint + 1 AS next FROM events_first',
    );
    await runner.query('ALTER TABLE events_first ALTER COLUMN position DROP IDENTITY');
    await runner.query('DROP TRIGGER events_appended ON events_first');
    await runner.query(
      'CREATE TABLE events (LIKE events_first INCLUDING DEFAULTS) PARTITION BY RANGE (recorded_at)',
    );
    await runner.query(`CREATE SEQUENCE events_position_seq START ${next} OWNED BY events.position`);
    await runner.query("ALTER TABLE events ALTER COLUMN position SET DEFAULT nextval('events_position_seq')");
    await runner.query(
      `ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM (MINVALUE) TO ('${ends}')`,
    );
    await runner.query('ALTER TABLE events_first DROP CONSTRAINT events_first_ends');
    await this.createFunctions(runner, ends);
    await runner.query(`
      CREATE TRIGGER events_appended AFTER INSERT ON events REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION note_appended()`);
    await runner.query(`
      CREATE FUNCTION note_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        TRUNCATE stream_heads, event_ids;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER events_emptied AFTER TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION note_emptied()`);
    // Nothing of Curtail deletes events; who does it by hand gets what the unique indexes gave: what is gone is not in the way.
    await runner.query(`
      CREATE FUNCTION note_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM event_ids USING removed WHERE event_ids.id = removed.id;
        DELETE FROM stream_heads WHERE stream IN (SELECT stream FROM removed)
          AND NOT EXISTS (SELECT FROM events WHERE events.stream = stream_heads.stream);
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER events_deleted AFTER DELETE ON events REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION note_deleted()`);
    await runner.query(`
      CREATE TABLE log_partitions (
        name text PRIMARY KEY,
        starts_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL,
        -- Null: part of the log. written: in the archive too. detached: in the archive, and its table is left over. dropped.
        archive_state text CHECK (archive_state IN ('written', 'detached', 'dropped')),
        -- The manifest, with the digest of the file.
        archive json,
        -- Up to here in the order of commits, and from behind the partition before it, its archive holds all events.
        transaction_id xid8,
        position bigint
      )`);
    await runner.query(
      "INSERT INTO log_partitions (name, starts_at, ends_at) VALUES ('events_first', '-infinity', $1)",
      [ends],
    );
    await runner.query('CREATE TABLE events_rest PARTITION OF events DEFAULT');
    await runner.query("SELECT index_log_partition('events_rest')");
    await runner.query('SELECT add_log_partition(ends_at) FROM log_partitions');
    await runner.query('SELECT add_log_partition(max(ends_at)) FROM log_partitions');
  }

  private async createFunctions(runner: QueryRunner, ends: string): Promise<void> {
    await runner.query(`
      CREATE FUNCTION index_log_partition(name text) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (position)', name, name || '_pkey');
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I UNIQUE (id)', name, name || '_id');
        EXECUTE format('CREATE INDEX %I ON %I (stream, version)', name || '_stream_version', name);
        EXECUTE format('CREATE INDEX %I ON %I (transaction_id, position)', name || '_commit_order', name);
        EXECUTE format('CREATE INDEX %I ON %I (partition, key, position)', name || '_key', name);
        EXECUTE format('CREATE INDEX %I ON %I (partition, position) WHERE type = ''io.curtail.plan.computed.v1''',
          name || '_plans', name);
      END $$`);
    await runner.query(`
      CREATE FUNCTION add_log_partition(starts timestamptz) RETURNS text LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'events_' || to_char(starts AT TIME ZONE 'UTC', 'YYYY_MM');
        ends timestamptz := date_trunc('month', starts, 'UTC') + interval '1 month';
      BEGIN
        -- Beside the log at first: to attach it takes a lock that lets others read and append.
        EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING DEFAULTS)', name);
        PERFORM index_log_partition(name);
        EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
        INSERT INTO log_partitions (name, starts_at, ends_at) VALUES (name, starts, ends);
        RETURN name;
      END $$`);
    await runner.query(`
      COMMENT ON FUNCTION add_log_partition IS 'Adds the partition of a month to the log, from a moment to the end of its month'`);
    await runner.query(`
      CREATE OR REPLACE FUNCTION note_appended() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        in_order boolean;
        id_is_there boolean;
      BEGIN
        WITH appended AS (
          SELECT stream, min(version) AS first, max(version) AS last, count(*) = count(DISTINCT version) AS once
          FROM added GROUP BY stream
        ), heads AS (
          INSERT INTO stream_heads AS head (stream, version, from_version)
          SELECT stream, last, first FROM appended ORDER BY stream
          ON CONFLICT (stream) DO UPDATE SET version = excluded.version, from_version = excluded.from_version
            WHERE head.version < excluded.from_version
          RETURNING 1
        ), ids AS (
          INSERT INTO event_ids (id, recorded_at) SELECT id, recorded_at FROM added
        )
        SELECT (SELECT count(*) FROM heads) = count(*) AND bool_and(once),
               -- Ids from before there was event_ids stand in the first partition only.
               EXISTS (SELECT FROM added a CROSS JOIN LATERAL (
                 SELECT FROM events e WHERE e.id = a.id AND e.recorded_at < '${ends}' OFFSET 0) there
                 WHERE a.recorded_at >= '${ends}')
        INTO in_order, id_is_there FROM appended;
        IF NOT in_order THEN
          RAISE unique_violation USING MESSAGE = 'a stream has an event of this version already',
            TABLE = 'events', CONSTRAINT = 'events_stream_version';
        END IF;
        IF id_is_there THEN
          RAISE unique_violation USING MESSAGE = 'the log has an event of this id already',
            TABLE = 'events', CONSTRAINT = 'events_id';
        END IF;
        RETURN NULL;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    await runner.query('ALTER TABLE events RENAME TO events_partitioned');
    await runner.query('CREATE TABLE events (LIKE events_partitioned INCLUDING DEFAULTS)');
    await runner.query('INSERT INTO events SELECT * FROM events_partitioned');
    await runner.query('ALTER TABLE events ALTER COLUMN position DROP DEFAULT');
    await runner.query('DROP TABLE events_partitioned');
    await runner.query('DROP FUNCTION note_emptied()');
    await runner.query('DROP FUNCTION note_deleted()');
    await runner.query('DROP TABLE log_partitions');
    await runner.query('DROP FUNCTION add_log_partition(timestamptz)');
    await runner.query('DROP FUNCTION index_log_partition(text)');
    await runner.query('ALTER TABLE events ALTER COLUMN position ADD GENERATED ALWAYS AS IDENTITY');
    await runner.query(
      "SELECT setval('events_position_seq', coalesce(max(position), 0) + 1, false) FROM events",
    );
    await runner.query('ALTER TABLE events ADD PRIMARY KEY (position)');
    await runner.query('ALTER TABLE events ADD CONSTRAINT events_id UNIQUE (id)');
    await runner.query('ALTER TABLE events ADD CONSTRAINT events_stream_version UNIQUE (stream, version)');
    await runner.query('CREATE INDEX events_commit_order ON events (transaction_id, position)');
    await runner.query('CREATE INDEX events_key ON events (partition, key, position)');
    await runner.query(`
      CREATE TRIGGER events_appended AFTER INSERT ON events REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION note_appended()`);
  }
}
