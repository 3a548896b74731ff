import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * State of publishing to Kafka: how far the log is published and who leads in doing so, the trace an event belongs to, and
 * of parked messages where they stood and who sent them.
 */
export class Relay1763740006000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE relays (
        destination text PRIMARY KEY,
        transaction_id xid8 NOT NULL,
        position bigint NOT NULL,
        leader uuid NOT NULL,
        leader_name text NOT NULL,
        lease_until timestamptz NOT NULL
      )`);
    await runner.query('ALTER TABLE events ADD COLUMN traceparent text, ADD COLUMN tracestate text');
    await runner.query(
      'ALTER TABLE dead_letters ADD COLUMN field text, ADD COLUMN source text, ADD COLUMN origin text',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letters DROP COLUMN field, DROP COLUMN source, DROP COLUMN origin');
    await runner.query('ALTER TABLE events DROP COLUMN traceparent, DROP COLUMN tracestate');
    await runner.query('DROP TABLE relays');
  }
}
