import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/**
 * Planned victims are read by their partition, never by their allocation: without the allocation the index is smaller, and quicker to
 * write.
 */
export class VictimsOfPartitions1763740029950 implements MigrationInterface {
  name = 'VictimsOfPartitions1763740029950';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, 'planned_victims_of_partition', 'planned_victims (partition)');
    await runner.query('DROP INDEX IF EXISTS planned_victims_partition');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX planned_victims_partition ON planned_victims (partition, allocation)');
    await runner.query('DROP INDEX planned_victims_of_partition');
  }
}
