import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a partition that is only observed had its victims shown last: not more often than people can read. */
export class ShownRounds1763740021000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rounds ADD COLUMN shown_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rounds DROP COLUMN shown_at');
  }
}
