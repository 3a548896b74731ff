import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Plans may have different owner budgets: a run gives way to later plans, too, unless these have counted by its own. */
export class BudgetsCountedFor1763745760000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE planned_victims ADD COLUMN IF NOT EXISTS counted_for text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE planned_victims DROP COLUMN counted_for');
  }
}
