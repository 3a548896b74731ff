import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The user of a victim's application. Null: not known, or its plan was recorded by an older version. */
export class OwnersOfVictims1763740036500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims ADD COLUMN owner text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims DROP COLUMN owner');
  }
}
