import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A run with a lock of its own is compared with the settings of its own policy. Processes of older versions write no policy: fair-share is the
 * only one whose runs have had such locks.
 */
export class PoliciesOfOwnLocks1763740029730 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE executions ADD COLUMN policy text NOT NULL DEFAULT 'fair-share'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions DROP COLUMN policy');
  }
}
