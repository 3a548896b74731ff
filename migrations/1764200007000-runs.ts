import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The clocks of queues and the runs that they start: who holds which lock, which victims are leaving, and how many may go at once. */
export class Runs1764200007000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SEQUENCE fencing_tokens AS bigint');
    // Room for a second version of all rows of a page, as in the tables of configurations: a change of every quota changes every clock.
    await runner.query(`
      CREATE TABLE clocks (
        partition text NOT NULL,
        queue text NOT NULL COLLATE "C",
        version integer NOT NULL,
        state json NOT NULL,
        running_enforcement text,
        fencing_token bigint,
        lease_until timestamptz,
        -- The version of the configuration that the clock applied last (quota_changes).
        config_version integer NOT NULL DEFAULT 0,
        PRIMARY KEY (partition, queue)
      ) WITH (fillfactor = 45)`);
    await runner.query(
      'CREATE INDEX clocks_running ON clocks (partition, queue) WHERE running_enforcement IS NOT NULL',
    );
    await runner.query(
      'CREATE INDEX clocks_by_run ON clocks (running_enforcement) WHERE running_enforcement IS NOT NULL',
    );
    // The reconciler finds the few queues whose last run recorded what blocked it, without reading the states of all clocks.
    await runner.query(
      "CREATE INDEX clocks_blocked ON clocks (partition, queue) WHERE state #> '{lastRun,blocked}' IS NOT NULL",
    );
    await runner.query(`
      CREATE TABLE runs (
        enforcement text PRIMARY KEY,
        partition text NOT NULL,
        queue text NOT NULL,
        fencing_token bigint NOT NULL,
        next_step_at timestamptz(3),
        lease_owner text,
        lease_until timestamptz,
        -- A run that outlives its round, since it gives its victims time to finish, is fenced by its own token. It is compared with the
        -- settings of its policy, which are those of its round.
        own_lock boolean NOT NULL DEFAULT false,
        settings jsonb,
        awaits_approval boolean NOT NULL DEFAULT false,
        -- With how many processes the run has ended, one after the other: holds that ran out. at_version is the length of the stream of
        -- the run when it was taken hold of; a stream that has grown since says that the run was carried on.
        deaths integer NOT NULL DEFAULT 0,
        at_version integer,
        policy text NOT NULL DEFAULT 'fair-share',
        -- The version of the configuration that causes the run. Null: none, or not known.
        configuration integer,
        -- It has ordered victims within the ceilings, or with their approval: all of its victims count.
        admitted boolean NOT NULL DEFAULT false
      )`);
    await runner.query('CREATE INDEX runs_next_step ON runs (next_step_at) WHERE next_step_at IS NOT NULL');
    await this.createVictims(runner);
    await runner.query(`
      CREATE TABLE eviction_rates (
        partition text PRIMARY KEY,
        -- Evictions that may be ordered at once; null: the partition had no rate then.
        tokens double precision,
        taken_at timestamptz NOT NULL
      )`);
    // Whether the settings of each running planner and executor limit it to observe (CURTAIL_MODE=observe): the console shows the mode
    // that counts.
    await runner.query(`
      CREATE TABLE service_limits (
        process text NOT NULL,
        service text NOT NULL,
        observes_only boolean NOT NULL,
        valid_until timestamptz NOT NULL,
        PRIMARY KEY (process, service)
      )`);
  }

  /** Planned victims while their run is open, then those that were carried out: owner budgets and ceilings count both. */
  private async createVictims(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE planned_victims (
        enforcement text NOT NULL,
        partition text NOT NULL,
        allocation text NOT NULL,
        uid text,
        application text,
        queue text,
        -- The user of the application. Null: without a name.
        owner text,
        -- Of a plan with owner budgets: later plans of the partition with owner budgets count it. Null: all of them do.
        counted_at timestamptz,
        resources jsonb,
        -- Plans may have different owner budgets: a run gives way to later plans, too, unless these have counted by its own.
        counted_for text,
        PRIMARY KEY (enforcement, allocation)
      )`);
    // They are read by their partition, never by their allocation: without the allocation the index is smaller, and quicker to write.
    await runner.query('CREATE INDEX planned_victims_of_partition ON planned_victims (partition)');
    await runner.query(`
      CREATE TABLE recent_victims (
        enforcement text NOT NULL,
        allocation text NOT NULL,
        partition text NOT NULL,
        application text NOT NULL,
        queue text NOT NULL,
        owner text,
        evicted_at timestamptz NOT NULL,
        resources jsonb,
        configuration integer,
        PRIMARY KEY (enforcement, allocation)
      )`);
    await runner.query('CREATE INDEX recent_victims_by_time ON recent_victims (partition, evicted_at)');
    await runner.query('CREATE INDEX recent_victims_oldest ON recent_victims (evicted_at)');
    await runner.query(
      'CREATE INDEX recent_victims_by_configuration ON recent_victims (partition, configuration) WHERE configuration IS NOT NULL',
    );
    // Which runs hold a lock, in one place: of a queue, of the rounds of a partition, or of their own. Victims count as leaving while
    // their run holds one; what a run planned that lost its lock hides nothing from the run that follows it.
    await runner.query(`
      CREATE VIEW leaving_victims AS
      SELECT v.enforcement, v.partition, v.allocation, v.uid FROM planned_victims v
      WHERE EXISTS (SELECT FROM clocks c WHERE c.running_enforcement = v.enforcement)
         OR EXISTS (SELECT FROM rounds r WHERE r.enforcement = v.enforcement AND r.state = 'executing')
         OR EXISTS (SELECT FROM runs WHERE runs.enforcement = v.enforcement AND runs.own_lock)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW leaving_victims');
    await runner.query(
      'DROP TABLE service_limits, eviction_rates, recent_victims, planned_victims, runs, clocks',
    );
    await runner.query('DROP SEQUENCE fencing_tokens');
  }
}
