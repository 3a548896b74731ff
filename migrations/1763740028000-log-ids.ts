import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The transaction ids of the log are its own: those of the PostgreSQL cluster plus `ahead`, the only row of `log_epoch`. `ahead` is
 * 0 in the cluster where the log began. A dump takes the ids of the events along, but not the counter of the cluster that gave them
 * out: where that counter is lower, `continueLog` of the event store raises `ahead`, so that the ids of the log go on growing.
 *
 * Both functions are STABLE, not VOLATILE: they must see the snapshot of the statement that calls them.
 */
export class LogIds1763740028000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE log_epoch (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        ahead bigint NOT NULL DEFAULT 0
      )`);
    await runner.query('INSERT INTO log_epoch DEFAULT VALUES');
    await runner.query(`
      CREATE FUNCTION log_transaction_id() RETURNS xid8 LANGUAGE plpgsql STABLE AS $$
      BEGIN
        RETURN (pg_current_xact_id()::text::bigint + coalesce((SELECT ahead FROM log_epoch), 0))::text::xid8;
      END $$`);
    await runner.query(`
      COMMENT ON FUNCTION log_transaction_id IS 'The transaction id of an event that is appended by this transaction'`);
    await runner.query(`
      CREATE FUNCTION log_settled() RETURNS xid8 LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
      BEGIN
        RETURN (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + coalesce((SELECT ahead FROM log_epoch), 0))::text::xid8;
      END $$`);
    await runner.query(`
      COMMENT ON FUNCTION log_settled IS 'Events with a lower transaction id are settled: nothing can be appended before them any more'`);
    await runner.query('ALTER TABLE events ALTER COLUMN transaction_id SET DEFAULT log_transaction_id()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events ALTER COLUMN transaction_id SET DEFAULT pg_current_xact_id()');
    await runner.query('DROP FUNCTION log_settled()');
    await runner.query('DROP FUNCTION log_transaction_id()');
    await runner.query('DROP TABLE log_epoch');
  }
}
