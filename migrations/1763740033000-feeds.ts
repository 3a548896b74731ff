import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The senders of reports and configurations over Kafka: the last message of each, and how many were ignored, by reason. */
export class Feeds1763740033000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE feeds (
        partition text COLLATE "C" NOT NULL,
        kind text COLLATE "C" NOT NULL,
        source text COLLATE "C" NOT NULL,
        messages bigint NOT NULL,
        -- Both of the last message, by the sender's clock.
        sequence bigint,
        submission text,
        sent_at timestamptz(3) NOT NULL,
        received_at timestamptz(3) NOT NULL,
        -- Counts by reason.
        ignored jsonb NOT NULL DEFAULT '{}',
        ignored_at timestamptz(3),
        PRIMARY KEY (partition, kind, source)
      )`);
    await runner.query('CREATE INDEX feeds_by_age ON feeds (received_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE feeds');
  }
}
