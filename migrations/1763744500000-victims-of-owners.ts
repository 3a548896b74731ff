import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The evictions of owners, for owner budgets: planned ones while their run is open, then those that were carried out. Rows of
 * `planned_victims` that an older version wrote have no application and count for no owner.
 */
export class VictimsOfOwners1763744500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE planned_victims
        ADD COLUMN application text,
        ADD COLUMN queue text,
        -- The user of the application. Null: without a name.
        ADD COLUMN owner text,
        -- Of a plan with owner budgets: later plans of the partition with owner budgets count it. Null: all of them do.
        ADD COLUMN counted_at timestamptz`);
    await runner.query(`
      CREATE TABLE recent_victims (
        enforcement text NOT NULL,
        allocation text NOT NULL,
        partition text NOT NULL,
        application text NOT NULL,
        queue text NOT NULL,
        owner text,
        evicted_at timestamptz NOT NULL,
        PRIMARY KEY (enforcement, allocation)
      )`);
    await runner.query('CREATE INDEX recent_victims_by_time ON recent_victims (partition, evicted_at)');
    await runner.query('CREATE INDEX recent_victims_oldest ON recent_victims (evicted_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recent_victims');
    await runner.query(`
      ALTER TABLE planned_victims DROP COLUMN application, DROP COLUMN queue, DROP COLUMN owner, DROP COLUMN counted_at`);
  }
}
