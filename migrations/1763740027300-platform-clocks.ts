import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How the clocks of platform services compare with that of the database: for each source the smallest lag between the time that a
 * message says and the time at which it was handled, of the messages of this window and of the one before. Below 0: the clock of
 * the source is certainly ahead.
 */
export class PlatformClocks1763740027300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE inventory_clocks (
        partition text COLLATE "C" NOT NULL,
        source text COLLATE "C" NOT NULL,
        since timestamptz(3) NOT NULL,
        lag_ms double precision NOT NULL,
        lag_before_ms double precision,
        heard_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, source)
      )`);
    // Requests without an answer: read before every eviction.
    await runner.query(`
      CREATE INDEX inventory_evictions_unanswered ON inventory_evictions (partition, deadline_at)
      WHERE answer IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX inventory_evictions_unanswered');
    await runner.query('DROP TABLE inventory_clocks');
  }
}
