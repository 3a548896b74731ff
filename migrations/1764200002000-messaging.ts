import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is committed together with the log: how far consumers have read, what they have handled, what they have put aside; and the relay to Kafka. */
export class Messaging1764200002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE subscriptions (
        name text PRIMARY KEY,
        transaction_id xid8 NOT NULL,
        position bigint NOT NULL,
        -- The process that hands events to the consumer from the log, one at a time for each consumer.
        redeliverer uuid,
        redeliverer_until timestamptz
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
        field text,
        -- Who sent it, and where it stood.
        source text,
        origin text,
        -- How often it was put aside.
        attempts integer NOT NULL DEFAULT 1,
        -- Another try that was requested, and by whom.
        retry_asked_at timestamptz,
        retry_by text,
        -- When it is handled again from the log without a request. Null: never, as for messages from outside, and for events during which
        -- processes ended.
        retry_at timestamptz,
        PRIMARY KEY (consumer, event_id)
      )`);
    await runner.query('CREATE INDEX dead_letters_parked_at ON dead_letters (parked_at, consumer, event_id)');
    await runner.query(
      'CREATE INDEX dead_letters_to_retry ON dead_letters (consumer) WHERE retry_asked_at IS NOT NULL',
    );
    await runner.query(
      'CREATE INDEX dead_letters_to_retry_themselves ON dead_letters (consumer, retry_at) WHERE retry_at IS NOT NULL',
    );
    // Events that a consumer has trouble with. A row goes when its event is finished, so there are few.
    await runner.query(`
      CREATE TABLE attempts (
        consumer text NOT NULL,
        event_id uuid NOT NULL,
        -- The last one that began it.
        process uuid NOT NULL,
        -- How many began it one after the other and did not finish it.
        processes integer NOT NULL DEFAULT 0,
        -- How often it was tried alone and failed.
        tries integer NOT NULL DEFAULT 0,
        noted_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (consumer, event_id)
      ) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`);
    // How far the log is published to Kafka, and who leads in doing so.
    await runner.query(`
      CREATE TABLE relays (
        destination text PRIMARY KEY,
        transaction_id xid8 NOT NULL,
        position bigint NOT NULL,
        leader uuid NOT NULL,
        leader_name text NOT NULL,
        lease_until timestamptz NOT NULL
      )`);
    // How far consumers that ask for it have applied each partition of their Kafka topics: every message below next_offset has had its
    // effects. The offsets in Kafka say less, since they are committed later.
    await runner.query(`
      CREATE TABLE applied_offsets (
        consumer text COLLATE "C" NOT NULL,
        topic text COLLATE "C" NOT NULL,
        partition integer NOT NULL,
        next_offset bigint NOT NULL,
        applied_at timestamptz(3) NOT NULL DEFAULT now(),
        -- When messages were found missing: the topic was made again, or messages were deleted or skipped before they were read.
        gap_at timestamptz(3),
        PRIMARY KEY (consumer, topic, partition)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE applied_offsets, relays, attempts, dead_letters, inbox, subscriptions');
  }
}
