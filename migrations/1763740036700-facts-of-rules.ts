import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The facts of the deciding rule of a victim. Null: its rule has none, or its plan was recorded by an older version. */
export class FactsOfRules1763740036700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims ADD COLUMN facts json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims DROP COLUMN facts');
  }
}
