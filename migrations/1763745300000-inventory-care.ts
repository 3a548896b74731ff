import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What protects work, as clusters report it: gangs of applications; disruption budgets and checkpoints of allocations. */
export class InventoryCare1763745300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const cluster of ['inventory', 'simulated']) {
      await runner.query(`ALTER TABLE ${cluster}_applications ADD COLUMN gang jsonb`);
      await runner.query(`
        ALTER TABLE ${cluster}_allocations
          -- The ids of the disruption budgets that it counts in.
          ADD COLUMN budgets jsonb,
          ADD COLUMN checkpointed_at timestamptz(3)`);
    }
    await runner.query(`
      CREATE TABLE inventory_budgets (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        gone boolean NOT NULL,
        changed_at timestamptz(3) NOT NULL DEFAULT now(),
        allowed integer,
        -- By the clock of the sender, but never in the future.
        said_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, id)
      )`);
    await runner.query('CREATE INDEX inventory_budgets_gone ON inventory_budgets (changed_at) WHERE gone');
    await runner.query(`
      CREATE TABLE simulated_budgets (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        allowed integer NOT NULL,
        PRIMARY KEY (partition, id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE simulated_budgets');
    await runner.query('DROP TABLE inventory_budgets');
    for (const cluster of ['inventory', 'simulated']) {
      await runner.query(
        `ALTER TABLE ${cluster}_allocations DROP COLUMN budgets, DROP COLUMN checkpointed_at`,
      );
      await runner.query(`ALTER TABLE ${cluster}_applications DROP COLUMN gang`);
    }
  }
}
