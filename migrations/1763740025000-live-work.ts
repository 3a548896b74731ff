import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What one application has and what runs on one node, asked before each kill. In the simulated cluster an application is found
 * by its queue. The rows of allocations change often, so each index has as few of them as serve.
 */
export class LiveWork1763740025000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX simulated_allocations_by_node ON simulated_allocations (partition, node) WHERE node IS NOT NULL`);
    await runner.query(`
      CREATE INDEX inventory_allocations_by_node ON inventory_allocations (partition, node)
      WHERE node IS NOT NULL AND NOT gone`);
    await runner.query(`
      CREATE INDEX inventory_allocations_by_application ON inventory_allocations (partition, application) WHERE NOT gone`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of [
      'simulated_allocations_by_node',
      'inventory_allocations_by_node',
      'inventory_allocations_by_application',
    ]) {
      await runner.query(`DROP INDEX ${index}`);
    }
  }
}
