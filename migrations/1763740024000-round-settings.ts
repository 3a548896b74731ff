import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The settings a round was planned with, so that its run ends when the settings change; and the allocations that rounds of fair-share spare for a
 * while, since an operator rejected them or the cluster did.
 */
export class RoundSettings1763740024000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rounds ADD COLUMN settings jsonb');
    // Of a run with a lock of its own: those of its round.
    await runner.query(
      'ALTER TABLE executions ADD COLUMN settings jsonb, ADD COLUMN awaits_approval boolean NOT NULL DEFAULT false',
    );
    await runner.query(`
      CREATE TABLE left_alone (
        partition text COLLATE "C" NOT NULL,
        kind text NOT NULL CHECK (kind IN ('application', 'allocation')),
        name text COLLATE "C" NOT NULL,
        until timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, kind, name)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE left_alone');
    await runner.query('ALTER TABLE executions DROP COLUMN settings, DROP COLUMN awaits_approval');
    await runner.query('ALTER TABLE rounds DROP COLUMN settings');
  }
}
