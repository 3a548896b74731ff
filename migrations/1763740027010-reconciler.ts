import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * State of the reconciler: the version of the configuration stream at which the quota of each queue changed last, and the
 * version that its clock applied last. A queue that left the configuration keeps its row.
 */
export class Reconciler1763740027010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE quota_changes (
        partition text NOT NULL,
        queue text NOT NULL COLLATE "C",
        version integer NOT NULL,
        changed_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, queue)
      )`);
    await runner.query('ALTER TABLE schedules ADD COLUMN config_version integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE schedules DROP COLUMN config_version');
    await runner.query('DROP TABLE quota_changes');
  }
}
