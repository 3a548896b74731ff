import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/**
 * The allocations of one application and of one node, read before each kill. In the simulated cluster an application is found
 * by its queue. The rows of allocations change often, so each index has as few of them as serve.
 */
export class LiveWork1763740025000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'simulated_allocations_by_node',
      'simulated_allocations (partition, node) WHERE node IS NOT NULL',
    );
    await createIndexConcurrently(
      runner,
      'inventory_allocations_by_node',
      'inventory_allocations (partition, node) WHERE node IS NOT NULL AND NOT gone',
    );
    await createIndexConcurrently(
      runner,
      'inventory_allocations_by_application',
      'inventory_allocations (partition, application) WHERE NOT gone',
    );
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
