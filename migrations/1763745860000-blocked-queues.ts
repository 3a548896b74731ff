import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/** The reconciler finds the few queues whose last run recorded what blocked it, without reading the states of all clocks. */
export class BlockedQueues1763745860000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'schedules_blocked',
      "schedules (partition, queue) WHERE state #> '{lastRun,blocked}' IS NOT NULL",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX schedules_blocked');
  }
}
