import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * With how many processes a run has ended, one after the other: `died` counts holds that ran out, `at_version` is the length of the stream
 * of the run when it was taken hold of. A stream that has grown since says that the run was carried on.
 */
export class DeathsOfRuns1763740029700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE executions ADD COLUMN died integer NOT NULL DEFAULT 0, ADD COLUMN at_version integer',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions DROP COLUMN died, DROP COLUMN at_version');
  }
}
