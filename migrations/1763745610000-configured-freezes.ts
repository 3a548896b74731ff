import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the configuration in force sets a freeze, and not an operator. */
export class ConfiguredFreezes1763745610000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE freezes ADD COLUMN configured boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE freezes DROP COLUMN configured');
  }
}
