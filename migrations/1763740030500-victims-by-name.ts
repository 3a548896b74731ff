import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/**
 * Victims are looked up by the beginning of an allocation's id too. In a database whose locale is not C only an index with
 * `text_pattern_ops` serves that; it serves whole ids as well.
 */
export class VictimsByName1763740030500 implements MigrationInterface {
  name = 'VictimsByName1763740030500';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'read_victims_allocation_name',
      'read_victims (partition, allocation text_pattern_ops)',
    );
    await runner.query('DROP INDEX IF EXISTS read_victims_allocation');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX read_victims_allocation ON read_victims (partition, allocation)');
    await runner.query('DROP INDEX read_victims_allocation_name');
  }
}
