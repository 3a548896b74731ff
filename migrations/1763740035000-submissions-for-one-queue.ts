import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The queue whose entry alone a version replaced. Null: the whole configuration was sent. */
export class SubmissionsForOneQueue1763740035000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE configurations ADD COLUMN only_queue text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE configurations DROP COLUMN only_queue');
  }
}
