import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Seconds of work that the eviction of a victim ended; null for those evicted by earlier versions. */
export class WorkLost1763743000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims ADD COLUMN seconds_lost bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims DROP COLUMN seconds_lost');
  }
}
