import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each notice is about; null where its event was written by an older version. */
export class SubjectsOfNotices1763740029500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_notices ADD COLUMN kind text, ADD COLUMN name text COLLATE "C"');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_notices DROP COLUMN kind, DROP COLUMN name');
  }
}
