import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The version of the schema that the data of an event are of. Releases before this one do not name the column: what they write is of
 * version 1, as are all events before it. The default stands in the catalog of the database; no row is written.
 */
export class SchemaVersions1763740029200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events ADD COLUMN schema_version integer NOT NULL DEFAULT 1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events DROP COLUMN schema_version');
  }
}
