import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Policies with rounds: the round under way, the result of the last one, the owners notified.
 * A round that changes nothing is a change of its row and nothing else; the row is small and of no index but its key, so
 * years of rounds every few seconds leave no trace.
 */
export class Rounds1763740013000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE rounds (
        policy text NOT NULL,
        partition text NOT NULL,
        -- Of the last round that began.
        round bigint NOT NULL,
        enforcement text NOT NULL,
        fencing_token bigint NOT NULL,
        state text NOT NULL CHECK (state IN ('wanted', 'planning', 'executing', 'over')),
        due_at timestamptz(3) NOT NULL,
        started_at timestamptz(3) NOT NULL,
        -- The process that carries the round on renews it before this; afterwards the next one may begin.
        lease_until timestamptz NOT NULL,
        -- Left out because another one was under way: in all, and since the last one that is in the log.
        skipped bigint NOT NULL DEFAULT 0,
        skipped_unsaid integer NOT NULL DEFAULT 0,
        -- Of the last round that has a plan.
        planned_round bigint,
        planned_at timestamptz(3),
        seconds double precision,
        plan json,
        -- Why the last one has none.
        failure json,
        -- Digest of the victims that were shown last without anything that could follow for them.
        shown text,
        PRIMARY KEY (policy, partition)
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      CREATE TABLE victim_notes (
        policy text NOT NULL,
        partition text NOT NULL,
        allocation text NOT NULL,
        uid text,
        application text NOT NULL,
        queue text NOT NULL COLLATE "C",
        notified_at timestamptz(3) NOT NULL,
        kill_at timestamptz(3) NOT NULL,
        round bigint NOT NULL,
        notified_by text NOT NULL,
        approved boolean NOT NULL DEFAULT false,
        PRIMARY KEY (policy, partition, allocation)
      )`);
    await runner.query(`
      CREATE TABLE preempted_applications (
        partition text NOT NULL,
        application text NOT NULL,
        last_preempted_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, application)
      )`);
    await runner.query(`
      ALTER TABLE read_enforcements ADD COLUMN policy text NOT NULL DEFAULT 'quota-decrease',
        ADD COLUMN round bigint, ADD COLUMN notified integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE read_enforcements DROP COLUMN policy, DROP COLUMN round, DROP COLUMN notified',
    );
    for (const table of ['preempted_applications', 'victim_notes', 'rounds']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
