import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which cluster a partition is, where its sender names it, and reports of others that were not taken. */
export class ClustersOfPartitions1763740029710 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE inventory_partitions
        -- From the CloudEvents source (/clusters/ID/…) of the first report that names one.
        ADD COLUMN cluster text,
        ADD COLUMN other_cluster text,
        -- By the clock of the database: of the first and the last of the reports of other clusters that are counted.
        ADD COLUMN other_since timestamptz(3),
        ADD COLUMN other_at timestamptz(3),
        ADD COLUMN other_count bigint NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE inventory_partitions DROP COLUMN other_count, DROP COLUMN other_at, DROP COLUMN other_since,
         DROP COLUMN other_cluster, DROP COLUMN cluster`,
    );
  }
}
