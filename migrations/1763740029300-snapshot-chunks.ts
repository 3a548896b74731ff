import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Long snapshots in chunks: a list of a million allocations is neither one text nor one value. The row in `snapshots` then has an
 * empty body, which services of the release before take for a snapshot that cannot be read any more.
 *
 * `of` is the list whose elements the chunk holds, null for what stands around them.
 */
export class SnapshotChunks1763740029300 implements MigrationInterface {
  name = 'SnapshotChunks1763740029300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE snapshot_chunks (
        digest text NOT NULL REFERENCES snapshots ON DELETE CASCADE,
        nr integer NOT NULL,
        of text,
        body bytea NOT NULL,
        PRIMARY KEY (digest, nr)
      )`);
    // They are compressed already.
    await runner.query('ALTER TABLE snapshot_chunks ALTER COLUMN body SET STORAGE EXTERNAL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE snapshot_chunks');
  }
}
