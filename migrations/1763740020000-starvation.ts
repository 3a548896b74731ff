import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The clocks of the policy fair-share, which nodes were used by it last, and what its last round found. Only who is below a
 * fair share, starves, or holds too much has a row: all others are as if they had never been.
 */
export class Starvation1763740020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE starvation_observations (
        partition text COLLATE "C" PRIMARY KEY,
        -- When the snapshot of the last observation was taken; one from before it is refused.
        observed_at timestamptz(3) NOT NULL,
        -- Of the stream of the partition.
        version integer NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE starvation_clocks (
        partition text COLLATE "C" NOT NULL,
        kind text NOT NULL CHECK (kind IN ('pool', 'operation', 'node')),
        name text COLLATE "C" NOT NULL,
        queue text COLLATE "C" NOT NULL,
        -- Below its fair share, or overcommitted, since.
        since timestamptz(3) NOT NULL,
        starvation text NOT NULL,
        starving_since timestamptz(3),
        -- The timer recorded last; it may have fired.
        due_at timestamptz(3),
        PRIMARY KEY (partition, kind, name)
      )`);
    await runner.query(`
      CREATE TABLE preemptive_nodes (
        partition text COLLATE "C" NOT NULL,
        node text COLLATE "C" NOT NULL,
        last_preemptive_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, node)
      )`);
    await runner.query(`
      CREATE TABLE fair_share_views (
        partition text COLLATE "C" PRIMARY KEY,
        round bigint NOT NULL,
        taken_at timestamptz(3) NOT NULL,
        statuses json NOT NULL
      )`);
    // A run that outlives its round, since it gives its victims time to finish, is fenced by its own token.
    await runner.query('ALTER TABLE executions ADD COLUMN own_lock boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions DROP COLUMN own_lock');
    for (const table of [
      'fair_share_views',
      'preemptive_nodes',
      'starvation_clocks',
      'starvation_observations',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
