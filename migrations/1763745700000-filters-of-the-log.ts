import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './create-index-concurrently.js';

/** Most events of the log are about evictions. A search for one of those types finds the latest without an index. */
const others = `(partition, type, position) WHERE topic NOT IN ('curtail.evictions', 'curtail.evictions.requests')`;

/** Indexes for filters of the log: by rare types of events, which the filter by author needs too, and by the owners of victims. */
export class FiltersOfTheLog1763745700000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // First, so that a partition that is added meanwhile has it.
    await runner.query(
      indexing(`
        EXECUTE format('CREATE INDEX %I ON %I ${others.replaceAll("'", "''")}', name || '_types', name);`),
    );
    const partitions: { name: string }[] = await runner.query(`
      SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'events'::regclass ORDER BY relname`);
    for (const { name } of partitions)
      await createIndexConcurrently(runner, `${name}_types`, `${name} ${others}`);
    await createIndexConcurrently(
      runner,
      'read_victims_owner',
      'read_victims (partition, owner, enforcement) WHERE owner IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(indexing(''));
    const indexes: { name: string }[] = await runner.query(`
      SELECT index.relname AS name FROM pg_inherits
      JOIN pg_index ON indrelid = inhrelid JOIN pg_class index ON index.oid = indexrelid
      JOIN pg_class log ON log.oid = inhrelid
      WHERE inhparent = 'events'::regclass AND index.relname = log.relname || '_types'`);
    for (const { name } of indexes) await runner.query(`DROP INDEX ${name}`);
    await runner.query('DROP INDEX IF EXISTS read_victims_owner');
  }
}

const indexing = (more: string) => `
  CREATE OR REPLACE FUNCTION index_log_partition(name text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (position)', name, name || '_pkey');
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I UNIQUE (id)', name, name || '_id');
    EXECUTE format('CREATE INDEX %I ON %I (stream, version)', name || '_stream_version', name);
    EXECUTE format('CREATE INDEX %I ON %I (transaction_id, position)', name || '_commit_order', name);
    EXECUTE format('CREATE INDEX %I ON %I (partition, key, position)', name || '_key', name);
    EXECUTE format('CREATE INDEX %I ON %I (partition, position) WHERE type = ''io.curtail.plan.computed.v1''',
      name || '_plans', name);${more}
  END $$`;
