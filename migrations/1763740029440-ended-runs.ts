import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/** Runs by when they ended, for trimming. Made beside writers. */
export class EndedRuns1763740029440 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'read_enforcements_ended',
      'read_enforcements (ended_at) WHERE ended_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX read_enforcements_ended');
  }
}
