import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every kill that the simulated cluster carried out, beside what Curtail says of itself: an audit compares the two. Nothing
 * keeps a second kill of one incarnation out of the table, or an audit could not find it.
 */
export class SimulatedEvictions1763740005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE simulated_evictions (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        partition text COLLATE "C" NOT NULL,
        allocation text COLLATE "C" NOT NULL,
        uid uuid NOT NULL,
        queue text COLLATE "C" NOT NULL,
        resources jsonb NOT NULL,
        eviction_id text NOT NULL,
        at timestamptz(3) NOT NULL
      )`);
    await runner.query(`
      CREATE INDEX simulated_evictions_by_allocation ON simulated_evictions (partition, allocation)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE simulated_evictions');
  }
}
