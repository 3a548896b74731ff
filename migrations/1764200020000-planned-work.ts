import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Advance notice remembers what each plan was made from, so that a clock is planned again only when that has changed. */
export class PlannedWork1764200020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The version of the planned work; null: nothing is planned, or the plan also depended on the time.
    await runner.query('ALTER TABLE foresights ADD COLUMN planned text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE foresights DROP COLUMN planned');
  }
}
