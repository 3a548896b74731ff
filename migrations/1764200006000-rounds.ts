import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Policies with rounds: the round under way and the result of the last one, the owners notified, and the state of the policy fair-share. */
export class Rounds1764200006000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A round that changes nothing is a change of its row and nothing else; the row is small and of no index but its key, so years of
    // rounds every few seconds leave no trace.
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
        skipped_unreported integer NOT NULL DEFAULT 0,
        -- Of the last round that has a plan.
        planned_round bigint,
        planned_at timestamptz(3),
        seconds double precision,
        plan json,
        -- Why the last one has none.
        failure json,
        -- Digest of the victims that were shown last without anything that could follow for them, and when: a partition that is only
        -- observed has its victims shown not more often than people can read.
        shown text,
        shown_at timestamptz(3),
        -- Those it was planned with: its run ends when the settings change.
        settings jsonb,
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
    await this.createFairShare(runner);
  }

  /**
   * The clocks of the policy fair-share, which nodes were used by it last, what its last round found, and the work that its rounds spare
   * for a while, since an operator rejected it or the cluster did. Only who is below a fair share, starves, or holds too much has a row:
   * all others are as if they had never been.
   */
  private async createFairShare(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE starvation_observations (
        partition text COLLATE "C" PRIMARY KEY,
        -- When the snapshot of the last observation was taken; one from before it is refused.
        observed_at timestamptz(3) NOT NULL
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
    await runner.query(`
      CREATE TABLE exempt_work (
        partition text COLLATE "C" NOT NULL,
        kind text NOT NULL CHECK (kind IN ('application', 'allocation')),
        name text COLLATE "C" NOT NULL,
        until timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, kind, name)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE exempt_work, fair_share_views, preemptive_nodes, starvation_clocks, starvation_observations',
    );
    await runner.query('DROP TABLE preempted_applications, victim_notes, rounds');
  }
}
