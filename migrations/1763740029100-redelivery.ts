import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events that are handed to a consumer from the log: who does it now, a process at a time for each consumer; and what is known of
 * dead letters for that: how often each was put aside, and whether another try was requested.
 *
 * Beside the release before: the indexes are made in a moment, for there are few dead letters, and no writer waits.
 */
export class Redelivery1763740029100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE subscriptions ADD COLUMN redeliverer uuid, ADD COLUMN redeliverer_until timestamptz',
    );
    await runner.query(`
      ALTER TABLE dead_letters ADD COLUMN attempts integer NOT NULL DEFAULT 1,
        ADD COLUMN retry_asked_at timestamptz, ADD COLUMN retry_by text`);
    await runner.query('CREATE INDEX dead_letters_parked_at ON dead_letters (parked_at, consumer, event_id)');
    await runner.query(
      'CREATE INDEX dead_letters_to_retry ON dead_letters (consumer) WHERE retry_asked_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dead_letters_to_retry');
    await runner.query('DROP INDEX dead_letters_parked_at');
    await runner.query(
      'ALTER TABLE dead_letters DROP COLUMN attempts, DROP COLUMN retry_asked_at, DROP COLUMN retry_by',
    );
    await runner.query('ALTER TABLE subscriptions DROP COLUMN redeliverer, DROP COLUMN redeliverer_until');
  }
}
