import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How a simulated allocation answers evictions: libs/clusters/src/simulated/behavior.ts. Null: it leaves when its grace period is over. */
export class SimulatedBehavior1763740030600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE simulated_allocations ADD COLUMN behavior jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE simulated_allocations DROP COLUMN behavior');
  }
}
