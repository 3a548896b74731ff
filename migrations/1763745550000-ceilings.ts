import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/**
 * Ceilings and one eviction rate over all runs of a partition. Rows that an older version wrote have no resources and no configuration:
 * they count as victims, and for no share of the cluster.
 */
export class Ceilings1763745550000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions
        -- The version of the configuration that causes the run. Null: none, or not known.
        ADD COLUMN IF NOT EXISTS configuration integer,
        -- It has ordered victims within the ceilings, or with their approval: all of its victims count.
        ADD COLUMN IF NOT EXISTS admitted boolean NOT NULL DEFAULT false`);
    await runner.query('ALTER TABLE planned_victims ADD COLUMN IF NOT EXISTS resources jsonb');
    await runner.query(
      'ALTER TABLE recent_victims ADD COLUMN IF NOT EXISTS resources jsonb, ADD COLUMN IF NOT EXISTS configuration integer',
    );
    await createIndexConcurrently(
      runner,
      'recent_victims_by_configuration',
      'recent_victims (partition, configuration) WHERE configuration IS NOT NULL',
    );
    // One row is locked by each order of a page, so that the orders of all processes are counted one after the other.
    await runner.query(`
      CREATE TABLE IF NOT EXISTS eviction_rates (
        partition text PRIMARY KEY,
        -- Evictions that may be ordered at once; null: the partition had no rate then.
        tokens double precision,
        taken_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE IF NOT EXISTS configuration_decisions (
        partition text NOT NULL,
        configuration integer NOT NULL,
        approved boolean NOT NULL,
        decided_by text NOT NULL,
        reason text,
        decided_at timestamptz NOT NULL,
        -- The end of an approval; null: a rejection, which does not end.
        until timestamptz,
        PRIMARY KEY (partition, configuration)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE configuration_decisions');
    await runner.query('DROP TABLE eviction_rates');
    await runner.query('ALTER TABLE recent_victims DROP COLUMN resources, DROP COLUMN configuration');
    await runner.query('ALTER TABLE planned_victims DROP COLUMN resources');
    await runner.query('ALTER TABLE executions DROP COLUMN configuration, DROP COLUMN admitted');
  }
}
