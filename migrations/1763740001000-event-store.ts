import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The log and what is committed together with it: cursors of subscriptions, marks of handled events, parked events.
 *
 * `transaction_id` is that of the transaction, or of a younger one whose events it had seen; `append` of the event store says
 * why, and is the only one who writes here.
 *
 * `data` is json, not jsonb: plans are byte-identical for the same input, and jsonb would reorder their keys.
 */
export class EventStore1763740001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE events (
        position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
        stream text NOT NULL,
        version integer NOT NULL,
        id uuid NOT NULL,
        type text NOT NULL,
        topic text NOT NULL,
        partition text NOT NULL,
        key text NOT NULL,
        time timestamptz(3) NOT NULL,
        data json NOT NULL,
        CONSTRAINT events_stream_version UNIQUE (stream, version),
        CONSTRAINT events_id UNIQUE (id)
      )`);
    await runner.query('CREATE INDEX events_commit_order ON events (transaction_id, position)');
    await runner.query('CREATE INDEX events_key ON events (partition, key, position)');
    await runner.query(`
      CREATE TABLE subscriptions (
        name text PRIMARY KEY,
        transaction_id xid8 NOT NULL,
        position bigint NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE inbox (
        consumer text NOT NULL,
        event_id uuid NOT NULL,
        handled_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (consumer, event_id)
      )`);
    await runner.query('CREATE INDEX inbox_handled_at ON inbox (handled_at)');
    await runner.query(`
      CREATE TABLE dead_letters (
        consumer text NOT NULL,
        event_id uuid NOT NULL,
        topic text NOT NULL,
        key text NOT NULL,
        type text NOT NULL,
        reason text NOT NULL,
        parked_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (consumer, event_id)
      )`);
    await runner.query(`
      CREATE TABLE snapshots (
        digest text PRIMARY KEY,
        body bytea NOT NULL,
        bytes bigint NOT NULL,
        taken_at timestamptz NOT NULL,
        kept_until timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX snapshots_kept_until ON snapshots (kept_until)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['snapshots', 'dead_letters', 'inbox', 'subscriptions', 'events']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
