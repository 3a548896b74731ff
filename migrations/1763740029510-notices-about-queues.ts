import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/** For `explain`: notices about a queue, whichever run gave them. */
export class NoticesAboutQueues1763740029510 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'read_notices_about_queue',
      `read_notices (partition, name, id) WHERE kind IN ('queue', 'pool')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX read_notices_about_queue');
  }
}
