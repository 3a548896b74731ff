import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links for the owner of an allocation that were made before this no longer work. */
export class RevokedLinks1763745770000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE IF NOT EXISTS revoked_links (
         partition text NOT NULL, allocation text NOT NULL, revoked_at timestamptz NOT NULL, revoked_by text NOT NULL,
         PRIMARY KEY (partition, allocation))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE revoked_links');
  }
}
