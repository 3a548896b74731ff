import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What keeps clocks and evictions from going on, in a queue and all below it; an empty queue is the whole partition. */
export class Holds1764200008000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE kill_switches (
        partition text NOT NULL,
        queue text NOT NULL,
        reason text,
        set_by text NOT NULL,
        set_at timestamptz NOT NULL,
        PRIMARY KEY (partition, queue)
      )`);
    await runner.query(`
      CREATE TABLE partition_modes (
        partition text PRIMARY KEY,
        mode text NOT NULL
      )`);
    // Windows of time in which no run starts.
    await runner.query(`
      CREATE TABLE freezes (
        id text PRIMARY KEY,
        partition text NOT NULL,
        queue text NOT NULL,
        period jsonb NOT NULL,
        set_by text NOT NULL,
        reason text,
        set_at timestamptz NOT NULL,
        -- The configuration in force sets it, and not an operator.
        configured boolean NOT NULL DEFAULT false
      )`);
    await runner.query('CREATE INDEX freezes_of_partition ON freezes (partition)');
    await runner.query(`
      CREATE TABLE configuration_decisions (
        partition text NOT NULL,
        configuration integer NOT NULL,
        approved boolean NOT NULL,
        decided_by text NOT NULL,
        reason text,
        decided_at timestamptz NOT NULL,
        -- The end of an approval; null: a rejection, which does not end.
        until timestamptz,
        PRIMARY KEY (partition, configuration)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE configuration_decisions, freezes, partition_modes, kill_switches');
  }
}
