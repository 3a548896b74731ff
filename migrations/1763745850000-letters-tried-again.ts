import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a dead letter is handled again from the log without a request; NULL: never, as for messages from outside, and for events during which
 * processes ended. The index is made in a moment, for there are few dead letters.
 *
 * Beside the release before: its letters have NULL, and wait for an operator as they did.
 */
export class LettersTriedAgain1763745850000 implements MigrationInterface {
  name = 'LettersTriedAgain1763745850000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letters ADD COLUMN retry_at timestamptz');
    await runner.query(
      'CREATE INDEX dead_letters_to_retry_themselves ON dead_letters (consumer, retry_at) WHERE retry_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dead_letters_to_retry_themselves');
    await runner.query('ALTER TABLE dead_letters DROP COLUMN retry_at');
  }
}
