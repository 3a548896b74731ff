import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/** Runs without an outcome, for the status of a partition. Made beside writers. */
export class OpenRuns1763740030100 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'read_enforcements_open',
      'read_enforcements (partition, started_at) WHERE outcome IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX read_enforcements_open');
  }
}
