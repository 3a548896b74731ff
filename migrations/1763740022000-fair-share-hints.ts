import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Hints of allocations for fair-share; in the simulated cluster, the allocations that room on a node is freed for. */
export class FairShareHints1763740022000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['simulated_allocations', 'inventory_allocations']) {
      await runner.query(
        `ALTER TABLE ${table} ADD COLUMN interruptible boolean, ADD COLUMN last_job_started_at timestamptz(3)`,
      );
    }
    await runner.query(`
      CREATE TABLE simulated_nominations (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        partition text COLLATE "C" NOT NULL,
        node text COLLATE "C" NOT NULL,
        application text COLLATE "C" NOT NULL,
        resources jsonb NOT NULL,
        until timestamptz(3) NOT NULL
      )`);
    await runner.query(
      'CREATE INDEX simulated_nominations_by_partition ON simulated_nominations (partition)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE simulated_nominations');
    for (const table of ['simulated_allocations', 'inventory_allocations']) {
      await runner.query(`ALTER TABLE ${table} DROP COLUMN interruptible, DROP COLUMN last_job_started_at`);
    }
  }
}
