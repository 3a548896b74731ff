import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Configuration of policies beside the quota decrease: settings of a partition, properties of its queues. */
export class Policies1763740010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE partitions ADD COLUMN policies json NOT NULL DEFAULT '{}'");
    // Amounts that follow the size of the cluster are kept as exact fractions of it.
    await runner.query('ALTER TABLE queues ADD COLUMN properties json, ADD COLUMN cluster_share json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE queues DROP COLUMN properties, DROP COLUMN cluster_share');
    await runner.query('ALTER TABLE partitions DROP COLUMN policies');
  }
}
