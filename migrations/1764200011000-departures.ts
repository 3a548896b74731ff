import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was leaving when a round of `intra-queue` saw it last, and what is gone since a moment ago: one row for each partition. */
export class Departures1764200011000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE departures (partition text PRIMARY KEY, allocations json NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE departures');
  }
}
