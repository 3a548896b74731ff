import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Platforms mark allocations that are never to be evicted, and those whose owners are ready. Null counts as not. */
export class ProtectedAllocations1763740029600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE inventory_allocations ADD COLUMN protected boolean, ADD COLUMN ready_to_go boolean',
    );
    await runner.query('ALTER TABLE simulated_allocations ADD COLUMN protected boolean');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE simulated_allocations DROP COLUMN protected');
    await runner.query('ALTER TABLE inventory_allocations DROP COLUMN ready_to_go, DROP COLUMN protected');
  }
}
