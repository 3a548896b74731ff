import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/** Finds the latest runs that were needed. Without it, a query reads every later run that was not needed. */
export class NeededRuns1763745790000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'read_enforcements_needed',
      "read_enforcements (partition, updated_at DESC, enforcement) WHERE outcome IS DISTINCT FROM 'not-needed'",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS read_enforcements_needed');
  }
}
