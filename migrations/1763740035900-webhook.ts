import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is announced to a webhook while it lasts, and the messages to it. */
export class Webhook1763740035900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_conditions (
        type text COLLATE "C" NOT NULL,
        partition text COLLATE "C" NOT NULL,
        -- A run; empty: the partition.
        subject text COLLATE "C" NOT NULL,
        since timestamptz(3) NOT NULL,
        -- When the last message about it was made; null: none was yet.
        announced_at timestamptz(3),
        announcements integer NOT NULL DEFAULT 0,
        PRIMARY KEY (type, partition, subject)
      )`);
    // state: pending, delivered or dead. A pending message is due at next_at; while one is sent, that is when its sender is late.
    await runner.query(`
      CREATE TABLE webhook_messages (
        id text COLLATE "C" PRIMARY KEY,
        type text NOT NULL,
        body text NOT NULL,
        state text NOT NULL DEFAULT 'pending',
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL,
        next_at timestamptz(3),
        ended_at timestamptz(3),
        last_error text
      )`);
    await runner.query(
      `CREATE INDEX webhook_messages_due ON webhook_messages (next_at) WHERE state = 'pending'`,
    );
    await runner.query('CREATE INDEX webhook_messages_by_age ON webhook_messages (created_at, id)');
    await runner.query('CREATE INDEX webhook_messages_ended ON webhook_messages (state, ended_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_messages');
    await runner.query('DROP TABLE webhook_conditions');
  }
}
