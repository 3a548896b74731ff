import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/**
 * For `explain`: the queue or pool of the operation, application or allocation that a notice is about. Null: its subject is none of
 * these, its queue is unknown, or an older version wrote the row.
 */
export class QueuesOfNotices1763745000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_notices ADD COLUMN IF NOT EXISTS about_queue text COLLATE "C"');
    await createIndexConcurrently(
      runner,
      'read_notices_in_queue',
      'read_notices (partition, about_queue, id) WHERE about_queue IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_notices DROP COLUMN about_queue');
  }
}
