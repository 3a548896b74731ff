import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs by when they ended, for whoever trims them. Made beside those who write. */
export class EndedRuns1763740029440 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // What an index that was not finished leaves behind.
    await runner.query('DROP INDEX IF EXISTS read_enforcements_ended');
    await runner.query(
      'CREATE INDEX CONCURRENTLY read_enforcements_ended ON read_enforcements (ended_at) WHERE ended_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX read_enforcements_ended');
  }
}
