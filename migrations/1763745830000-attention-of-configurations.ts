import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What of the configuration in force needs a person, such as a quota of a namespace that cannot be read; null: nothing. */
export class AttentionOfConfigurations1763745830000 implements MigrationInterface {
  name = 'AttentionOfConfigurations1763745830000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE partitions ADD COLUMN attention json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE partitions DROP COLUMN attention');
  }
}
