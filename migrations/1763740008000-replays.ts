import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Readings of the log again: who asked for what, how far it is, and what came out (apps/console/src/replay). */
export class Replays1763740008000 implements MigrationInterface {
  name = 'Replays1763740008000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE replays (
        id text PRIMARY KEY,
        "into" text NOT NULL,
        wish json NOT NULL,
        state text NOT NULL,
        started_by text NOT NULL,
        host text NOT NULL,
        -- Counts takeovers; a process with an older number must stop.
        attempt integer NOT NULL,
        stop_wanted boolean NOT NULL DEFAULT false,
        transaction_id xid8 NOT NULL DEFAULT '0',
        position bigint NOT NULL DEFAULT 0,
        done bigint NOT NULL DEFAULT 0,
        total bigint NOT NULL,
        result json,
        message text,
        started_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        ended_at timestamptz(3)
      )`);
    await runner.query('CREATE INDEX replays_started ON replays (started_at DESC)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA IF EXISTS curtail_replay CASCADE');
    await runner.query('DROP TABLE replays');
  }
}
