import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The log, and the snapshots that plans are computed from.
 *
 * `data` is json, not jsonb: plans are byte-identical for the same input, and jsonb would reorder their keys. Long plans are stored packed
 * (packed-data.ts of the event store): without `data`, compressed in `packed`, and their short fields in `outline`.
 *
 * `transaction_id` is that of the transaction, or of a younger one whose events it had seen; `append` of the event store says why, and
 * is the only one who writes here.
 */
export class EventStore1764200001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createIds(runner);
    await this.createLog(runner);
    await this.createPartitions(runner);
    await this.createSnapshots(runner);
  }

  /**
   * The transaction ids of the log are its own: those of the PostgreSQL cluster plus `ahead`, the only row of `log_epoch`. `ahead` is
   * 0 in the cluster where the log began. A dump takes the ids of the events along, but not the counter of the cluster that gave them
   * out: where that counter is lower, `continueLog` of the event store raises `ahead`, so that the ids of the log go on growing.
   *
   * Both functions are STABLE, not VOLATILE: they must see the snapshot of the statement that calls them.
   */
  private async createIds(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE log_epoch (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        ahead bigint NOT NULL DEFAULT 0
      )`);
    await runner.query('INSERT INTO log_epoch DEFAULT VALUES');
    await runner.query(`
      CREATE FUNCTION log_transaction_id() RETURNS xid8 LANGUAGE plpgsql STABLE AS $$
      BEGIN
        RETURN (pg_current_xact_id()::text::bigint + coalesce((SELECT ahead FROM log_epoch), 0))::text::xid8;
      END $$`);
    await runner.query(`
      COMMENT ON FUNCTION log_transaction_id IS 'The transaction id of an event that is appended by this transaction'`);
    await runner.query(`
      CREATE FUNCTION log_settled() RETURNS xid8 LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
      BEGIN
        RETURN (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + coalesce((SELECT ahead FROM log_epoch), 0))::text::xid8;
      END $$`);
    await runner.query(`
      COMMENT ON FUNCTION log_settled IS 'Events with a lower transaction id are settled: nothing can be appended before them any more'`);
  }

  /**
   * The log has partitions by the time of recording, a month each. `time` is no good for that, it is when a thing happened. Indexes are
   * those of the partitions, not of the log: unique ones would have to hold the time of recording. Triggers keep the last version of
   * each stream and the ids of all events, and with them (stream, version) and ids unique across the partitions.
   *
   * A head is locked by who appends to its stream, to the end of the transaction, as the entry of a unique index would be.
   */
  private async createLog(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE events (
        position bigint NOT NULL,
        transaction_id xid8 NOT NULL DEFAULT log_transaction_id(),
        stream text NOT NULL,
        version integer NOT NULL,
        id uuid NOT NULL,
        type text NOT NULL,
        topic text NOT NULL,
        partition text NOT NULL,
        key text NOT NULL,
        time timestamptz(3) NOT NULL,
        data json,
        traceparent text,
        tracestate text,
        schema_version integer NOT NULL DEFAULT 1,
        -- By the clock of the database.
        recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        outline json,
        packed bytea
      ) PARTITION BY RANGE (recorded_at)`);
    // The server would try in vain to compress it once more.
    await runner.query('ALTER TABLE events ALTER COLUMN packed SET STORAGE EXTERNAL');
    await runner.query('CREATE SEQUENCE events_position_seq OWNED BY events.position');
    await runner.query("ALTER TABLE events ALTER COLUMN position SET DEFAULT nextval('events_position_seq')");
    await runner.query(`
      CREATE TABLE stream_heads (
        stream text COLLATE "C" PRIMARY KEY,
        version integer NOT NULL,
        -- The first version of the append that came last.
        from_version integer NOT NULL,
        -- The partition with which its events went out of the database.
        archived_in text
      ) WITH (fillfactor = 80)`);
    await runner.query(`
      CREATE TABLE event_ids (
        id uuid PRIMARY KEY,
        recorded_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE FUNCTION note_appended() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        in_order boolean;
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
        SELECT (SELECT count(*) FROM heads) = count(*) AND bool_and(once) INTO in_order FROM appended;
        IF NOT in_order THEN
          RAISE unique_violation USING MESSAGE = 'a stream has an event of this version already',
            TABLE = 'events', CONSTRAINT = 'events_stream_version';
        END IF;
        RETURN NULL;
      END $$`);
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
    // Nothing of Curtail deletes events; who does it by hand gets what unique indexes would give: what is gone is not in the way.
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
  }

  /**
   * `events_first` takes the month in which the database is made, and whatever a clock that is set back calls earlier; `events_rest`
   * takes what no other partition takes: an event is never refused because no process has made room for it.
   */
  private async createPartitions(runner: QueryRunner): Promise<void> {
    // Most events of the log are about evictions. A search for one of those types finds the latest without the index of types.
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
        EXECUTE format('CREATE INDEX %I ON %I (partition, type, position)
          WHERE topic NOT IN (''curtail.evictions'', ''curtail.evictions.requests'')', name || '_types', name);
      END $$`);
    await runner.query(`
      CREATE FUNCTION add_log_partition(starts timestamptz) RETURNS text LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'events_' || to_char(starts AT TIME ZONE 'UTC', 'YYYY_MM');
        ends timestamptz := date_trunc('month', starts, 'UTC') + interval '1 month';
      BEGIN
        -- Beside the log at first: to attach it takes a lock that lets others read and append.
        EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING DEFAULTS INCLUDING STORAGE)', name);
        PERFORM index_log_partition(name);
        EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
        INSERT INTO log_partitions (name, starts_at, ends_at) VALUES (name, starts, ends);
        RETURN name;
      END $$`);
    await runner.query(`
      COMMENT ON FUNCTION add_log_partition IS 'Adds the partition of a month to the log, from a moment to the end of its month'`);
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
    const [{ ends }] = await runner.query(
      "SELECT (date_trunc('month', now(), 'UTC') + interval '1 month')::text AS ends",
    );
    await runner.query(
      `CREATE TABLE events_first PARTITION OF events FOR VALUES FROM (MINVALUE) TO ('${ends}')`,
    );
    await runner.query("SELECT index_log_partition('events_first')");
    await runner.query(
      "INSERT INTO log_partitions (name, starts_at, ends_at) VALUES ('events_first', '-infinity', $1)",
      [ends],
    );
    await runner.query('CREATE TABLE events_rest PARTITION OF events DEFAULT');
    await runner.query("SELECT index_log_partition('events_rest')");
    await runner.query('SELECT add_log_partition(ends_at) FROM log_partitions');
    await runner.query('SELECT add_log_partition(max(ends_at)) FROM log_partitions');
  }

  /** Long snapshots are in chunks: a list of a million allocations is neither one text nor one value. Their own body is empty then. */
  private async createSnapshots(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE snapshots (
        digest text PRIMARY KEY,
        body bytea NOT NULL,
        bytes bigint NOT NULL,
        taken_at timestamptz NOT NULL,
        kept_until timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX snapshots_kept_until ON snapshots (kept_until)');
    await runner.query(`
      CREATE TABLE snapshot_chunks (
        digest text NOT NULL REFERENCES snapshots ON DELETE CASCADE,
        nr integer NOT NULL,
        -- The list whose elements the chunk holds; null for what stands around the lists.
        of text,
        body bytea NOT NULL,
        PRIMARY KEY (digest, nr)
      )`);
    // They are compressed already.
    await runner.query('ALTER TABLE snapshot_chunks ALTER COLUMN body SET STORAGE EXTERNAL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE snapshot_chunks, snapshots, log_partitions, events, event_ids, stream_heads',
    );
    for (const name of ['note_appended()', 'note_emptied()', 'note_deleted()'])
      await runner.query(`DROP FUNCTION ${name}`);
    for (const name of ['add_log_partition(timestamptz)', 'index_log_partition(text)'])
      await runner.query(`DROP FUNCTION ${name}`);
    for (const name of ['log_transaction_id()', 'log_settled()']) await runner.query(`DROP FUNCTION ${name}`);
    await runner.query('DROP TABLE log_epoch');
  }
}
