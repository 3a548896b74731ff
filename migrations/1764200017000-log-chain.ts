import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The hash chains of the log, one for each partition of Curtail, laid after the fact over what is settled (the folder `chain` of the
 * event store). `log_chain` says how far they are laid.
 */
export class LogChain1764200017000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE log_chain (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        -- The last pass over the log, and the place in commit order up to which it went.
        pass bigint NOT NULL DEFAULT 0,
        transaction_id xid8 NOT NULL DEFAULT '0',
        position bigint NOT NULL DEFAULT 0,
        -- The process that lays the chains.
        laid_by uuid,
        lease_until timestamptz
      )`);
    await runner.query('INSERT INTO log_chain DEFAULT VALUES');
    await runner.query(`
      CREATE TABLE log_blocks (
        pass bigint NOT NULL,
        partition text NOT NULL,
        -- The number of the block in the chain of its partition, from 1.
        block integer NOT NULL,
        -- Where the pass began and ended: it saw all events behind the first place, up to the second.
        after_transaction_id xid8 NOT NULL,
        after_position bigint NOT NULL,
        transaction_id xid8 NOT NULL,
        position bigint NOT NULL,
        -- Of each event of the partition, in commit order: its place and its digest.
        entries bytea NOT NULL,
        -- Over all of this and the hash of the block before.
        hash bytea NOT NULL,
        laid_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (pass, partition),
        UNIQUE (partition, block)
      )`);
    // Digests cannot be compressed.
    await runner.query('ALTER TABLE log_blocks ALTER COLUMN entries SET STORAGE EXTERNAL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE log_blocks, log_chain');
  }
}
