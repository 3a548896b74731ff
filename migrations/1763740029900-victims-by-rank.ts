import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/** For pages of the victims of a large run, in the order of eviction. */
export class VictimsByRank1763740029900 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, 'read_victims_rank', 'read_victims (enforcement, rank)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX read_victims_rank');
  }
}
