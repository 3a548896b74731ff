import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the reason is about for which a victim was refused, spared or failed; null where its event was written by an older version. */
export class SubjectsOfReasons1763740029520 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims ADD COLUMN about json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims DROP COLUMN about');
  }
}
