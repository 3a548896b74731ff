import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Runs with a large plan, of whose victims `read_victims` still lacks some. A row states how many it has, and up to which place of the log it
 * knows what became of them.
 */
export class MissingVictims1763745800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE read_victims_missing (
        enforcement text PRIMARY KEY,
        added integer NOT NULL DEFAULT 0,
        transaction_id xid8 NOT NULL,
        position bigint NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE read_victims_missing');
  }
}
