import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The code of the rule that decided for a victim. Null: its policy has none, or its plan was recorded by an older version. */
export class DecidingRules1763740036000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims ADD COLUMN rule text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims DROP COLUMN rule');
  }
}
