import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Nodes on which nothing is started, though what they have still counts; where their scheduler does not say, it starts work there. */
export class SchedulableNodes1763740026000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE inventory_nodes ADD COLUMN schedulable boolean');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE inventory_nodes DROP COLUMN schedulable');
  }
}
