import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is due at a time, and the time. The table decides; a queue of jobs only wakes who looks here. */
export class Timers1764200003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE timers (
        kind text NOT NULL,
        partition text NOT NULL,
        name text NOT NULL COLLATE "C",
        generation integer NOT NULL,
        due_at timestamptz(3) NOT NULL,
        state text NOT NULL,
        PRIMARY KEY (kind, partition, name)
      )`);
    await runner.query("CREATE INDEX timers_due ON timers (kind, due_at) WHERE state = 'pending'");
    // Each run that ends asks for the timers below it that waited for it: hardly ever any, among very many that did not.
    await runner.query(
      "CREATE INDEX timers_waiting ON timers (kind, partition, name) WHERE state = 'waiting'",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE timers');
  }
}
