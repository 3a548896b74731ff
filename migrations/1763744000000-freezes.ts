import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Windows of time in which no run starts, in a queue and all below it; an empty queue is the whole partition. */
export class Freezes1763744000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE freezes (
        id text PRIMARY KEY,
        partition text NOT NULL,
        queue text NOT NULL,
        period jsonb NOT NULL,
        set_by text NOT NULL,
        reason text,
        set_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX freezes_of_partition ON freezes (partition)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE freezes');
  }
}
