import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of which cluster the configuration in force is, where its sender names one. */
export class ClustersOfConfigurations1763740029720 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // From the CloudEvents source (/clusters/ID/…) of the submission.
    await runner.query('ALTER TABLE partitions ADD COLUMN cluster text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE partitions DROP COLUMN cluster');
  }
}
