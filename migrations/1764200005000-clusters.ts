import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is known of the clusters: reports of platform services (`inventory_…`), and the simulated cluster (`simulated_…`).
 *
 * Ids and queue paths compare by bytes (COLLATE "C"), whatever the locale of the database is: a queue and all below it are then one key and
 * one range of the index (`libs/clusters/src/tables/statements.ts`).
 */
export class Clusters1764200005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createSenders(runner);
    await this.createInventory(runner);
    await keepUsage(runner, 'inventory', ' WHERE NOT gone');
    await this.createEvictions(runner);
    await this.createSimulated(runner);
    await keepUsage(runner, 'simulated', '');
    await this.createSimulatedStories(runner);
  }

  /** Who reports, and which reports are accepted. */
  private async createSenders(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE inventory_partitions (
        partition text COLLATE "C" PRIMARY KEY,
        -- By the clock of the sender, but never in the future.
        last_report_at timestamptz(3) NOT NULL,
        -- Of the last listing that came whole: it holds all that was reported up to there.
        listed_sequence bigint NOT NULL DEFAULT 0,
        listed_at timestamptz(3),
        -- The CloudEvents source of the newest report.
        source text,
        -- Time of the last whole listing, by the sender's clock.
        listing_sent_at timestamptz(3),
        -- The greatest sequence that was taken, and its time, by the sender's clock.
        newest_sequence bigint NOT NULL DEFAULT 0,
        newest_at timestamptz(3),
        -- The greatest sequence that a confirmation has named.
        confirmed_sequence bigint NOT NULL DEFAULT 0,
        confirmed_at timestamptz(3),
        -- Reports whose sequence went back: since when (clock of the database), time of the last one, how many.
        rejected_since timestamptz(3),
        rejected_at timestamptz(3),
        rejected_sequence bigint,
        rejected_source text,
        rejected_count bigint NOT NULL DEFAULT 0,
        -- A whole listing that is not applied: it would drop so many of so many running allocations.
        held_sequence bigint,
        held_since timestamptz(3),
        held_sent_at timestamptz(3),
        held_drops integer,
        held_of integer,
        -- Unfinished listings that were given up.
        dropped_since timestamptz(3),
        dropped_sequence bigint,
        dropped_count bigint NOT NULL DEFAULT 0,
        -- From the CloudEvents source (/clusters/ID/…) of the first report that names one.
        cluster text,
        -- Reports of other clusters that were not taken; by the clock of the database, of the first and the last that are counted.
        other_cluster text,
        other_since timestamptz(3),
        other_at timestamptz(3),
        other_count bigint NOT NULL DEFAULT 0
      )`);
    await runner.query(`
      CREATE TABLE inventory_listings (
        partition text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        -- Both of when its first page came.
        began_at timestamptz(3) NOT NULL DEFAULT now(),
        running integer NOT NULL,
        -- The earliest of its pages, by the sender's clock.
        sent_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, sequence)
      )`);
    await runner.query(`
      CREATE TABLE inventory_pages (
        partition text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        page integer NOT NULL,
        last boolean NOT NULL,
        PRIMARY KEY (partition, sequence, page)
      )`);
    // How the clocks of platform services compare with that of the database: for each source the smallest lag between the time that a
    // message says and the time at which it was handled, of the messages of this window and of the one before. Below 0: the clock of
    // the source is certainly ahead.
    await runner.query(`
      CREATE TABLE inventory_clocks (
        partition text COLLATE "C" NOT NULL,
        source text COLLATE "C" NOT NULL,
        since timestamptz(3) NOT NULL,
        lag_ms double precision NOT NULL,
        lag_before_ms double precision,
        last_message_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, source)
      )`);
    // The senders of reports and configurations over Kafka: the last message of each, and how many were ignored, by reason.
    await runner.query(`
      CREATE TABLE feeds (
        partition text COLLATE "C" NOT NULL,
        kind text COLLATE "C" NOT NULL,
        source text COLLATE "C" NOT NULL,
        messages bigint NOT NULL,
        -- Both of the last message, by the sender's clock.
        sequence bigint,
        submission text,
        sent_at timestamptz(3) NOT NULL,
        received_at timestamptz(3) NOT NULL,
        -- Counts by reason.
        ignored jsonb NOT NULL DEFAULT '{}',
        ignored_at timestamptz(3),
        PRIMARY KEY (partition, kind, source)
      )`);
    await runner.query('CREATE INDEX feeds_by_age ON feeds (received_at)');
  }

  /**
   * What was reported. `sequence` is that of the report a row was last written by; rows of what is gone stay for a while, so that a report
   * that comes late finds them. The rows of allocations change often, so each index has as few of them as serve.
   */
  private async createInventory(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE inventory_nodes (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        gone boolean NOT NULL,
        changed_at timestamptz(3) NOT NULL DEFAULT now(),
        capacity jsonb,
        labels jsonb,
        -- False: nothing is started there, though what it has still counts. Null: its scheduler does not say, and starts work there.
        schedulable boolean,
        PRIMARY KEY (partition, id)
      )`);
    await runner.query(`
      CREATE TABLE inventory_applications (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        gone boolean NOT NULL,
        changed_at timestamptz(3) NOT NULL DEFAULT now(),
        queue text COLLATE "C",
        "user" text,
        priority integer,
        submitted_at timestamptz,
        pending jsonb,
        properties jsonb,
        gang jsonb,
        PRIMARY KEY (partition, id)
      )`);
    await runner.query(`
      CREATE INDEX inventory_applications_by_queue ON inventory_applications (partition, queue, id) WHERE NOT gone`);
    await runner.query(`
      CREATE TABLE inventory_allocations (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        uid text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        gone boolean NOT NULL,
        changed_at timestamptz(3) NOT NULL DEFAULT now(),
        application text COLLATE "C",
        queue text COLLATE "C",
        node text COLLATE "C",
        resources jsonb,
        priority integer,
        role text,
        allow_preemption boolean,
        started_at timestamptz,
        state text,
        -- The kill that the platform has accepted: from there on it is leaving, whatever is reported.
        eviction_id text,
        -- Hints for fair-share.
        interruptible boolean,
        last_job_started_at timestamptz(3),
        -- Marked by its platform: never to be evicted; its owner is ready. Null counts as not.
        protected boolean,
        ready_to_go boolean,
        -- The ids of the disruption budgets that it counts in.
        budgets jsonb,
        checkpointed_at timestamptz(3),
        PRIMARY KEY (partition, id, uid),
        CHECK (gone OR (application IS NOT NULL AND queue IS NOT NULL AND resources IS NOT NULL
                        AND started_at IS NOT NULL AND state IS NOT NULL))
      )`);
    for (const [name, of] of [
      ['queue', '(partition, queue, id) WHERE NOT gone'],
      // The allocations of one application and of one node are read before each kill.
      ['node', '(partition, node) WHERE node IS NOT NULL AND NOT gone'],
      ['application', '(partition, application) WHERE NOT gone'],
    ])
      await runner.query(`CREATE INDEX inventory_allocations_by_${name} ON inventory_allocations ${of}`);
    await runner.query(`
      CREATE TABLE inventory_budgets (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        gone boolean NOT NULL,
        changed_at timestamptz(3) NOT NULL DEFAULT now(),
        allowed integer,
        -- By the clock of the sender, but never in the future.
        sent_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, id)
      )`);
    for (const kind of ['nodes', 'applications', 'allocations', 'budgets'])
      await runner.query(`CREATE INDEX inventory_${kind}_gone ON inventory_${kind} (changed_at) WHERE gone`);
    await runner.query(`CREATE TABLE inventory_usage ${usageColumns}`);
  }

  private async createEvictions(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE inventory_evictions (
        eviction_id text PRIMARY KEY,
        partition text COLLATE "C" NOT NULL,
        allocation text COLLATE "C" NOT NULL,
        uid text COLLATE "C" NOT NULL,
        attempt integer NOT NULL,
        requested_at timestamptz(3) NOT NULL,
        deadline_at timestamptz(3) NOT NULL,
        answer jsonb
      )`);
    await runner.query('CREATE INDEX inventory_evictions_requested_at ON inventory_evictions (requested_at)');
    // Requests without an answer: read before every eviction.
    await runner.query(`
      CREATE INDEX inventory_evictions_unanswered ON inventory_evictions (partition, deadline_at) WHERE answer IS NULL`);
  }

  private async createSimulated(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE simulated_nodes (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        capacity jsonb NOT NULL DEFAULT '{}',
        labels jsonb NOT NULL DEFAULT '{}',
        PRIMARY KEY (partition, id)
      )`);
    await runner.query(`
      CREATE TABLE simulated_applications (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        queue text COLLATE "C" NOT NULL,
        "user" text,
        priority integer NOT NULL DEFAULT 0,
        submitted_at timestamptz,
        pending jsonb NOT NULL DEFAULT '[]',
        properties jsonb NOT NULL DEFAULT '{}',
        gang jsonb,
        PRIMARY KEY (partition, id)
      )`);
    // Also what the foreign key of the allocations points at: an application and its allocations are in one queue.
    await runner.query(`
      CREATE UNIQUE INDEX simulated_applications_by_queue ON simulated_applications (partition, queue, id)`);
    await runner.query(`
      CREATE INDEX simulated_applications_starting ON simulated_applications (partition)
      WHERE properties ? 'startsWhenRoom' AND pending <> '[]'`);
    await runner.query(`
      CREATE TABLE simulated_allocations (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        uid uuid NOT NULL DEFAULT gen_random_uuid(),
        application text COLLATE "C" NOT NULL,
        queue text COLLATE "C" NOT NULL,
        node text COLLATE "C",
        resources jsonb NOT NULL,
        priority integer,
        role text NOT NULL DEFAULT 'task' CHECK (role IN ('task', 'originator', 'daemon', 'placeholder')),
        allow_preemption boolean NOT NULL DEFAULT true,
        started_at timestamptz NOT NULL,
        state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'releasing', 'preempting')),
        eviction_id text,
        -- From this moment on the allocation is gone, whether its row is still there or not.
        gone_at timestamptz,
        refusals integer NOT NULL DEFAULT 0,
        interruptible boolean,
        last_job_started_at timestamptz(3),
        protected boolean,
        -- How it answers evictions: libs/clusters/src/simulated/behavior.ts. Null: it leaves when its grace period is over.
        behavior jsonb,
        budgets jsonb,
        checkpointed_at timestamptz(3),
        PRIMARY KEY (partition, id),
        FOREIGN KEY (partition, queue, application)
          REFERENCES simulated_applications (partition, queue, id) ON UPDATE CASCADE ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE INDEX simulated_allocations_by_queue ON simulated_allocations (partition, queue, application)`);
    await runner.query(`
      CREATE INDEX simulated_allocations_by_node ON simulated_allocations (partition, node) WHERE node IS NOT NULL`);
    await runner.query(`
      CREATE INDEX simulated_allocations_leaving ON simulated_allocations (gone_at) WHERE gone_at IS NOT NULL`);
    await runner.query(`
      CREATE TABLE simulated_budgets (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        allowed integer NOT NULL,
        PRIMARY KEY (partition, id)
      )`);
    // Rows that are gone and not swept yet are in the sums; `USAGE_QUERY` takes them away.
    await runner.query(`CREATE TABLE simulated_usage ${usageColumns} WITH (fillfactor = 50)`);
  }

  /**
   * What the simulated cluster has done: every kill that it carried out, beside what Curtail says of itself, since an audit compares the
   * two; the allocations that it announced; and the allocations that room on a node is freed for. Nothing keeps a second kill of one incarnation out of
   * the table, or an audit could not find it.
   */
  private async createSimulatedStories(runner: QueryRunner): Promise<void> {
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
    // Whether a kill was carried out is asked for by its id.
    await runner.query(
      'CREATE INDEX simulated_evictions_by_eviction_id ON simulated_evictions (eviction_id)',
    );
    await runner.query(`
      CREATE TABLE simulated_announcements (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        partition text COLLATE "C" NOT NULL,
        allocation text COLLATE "C" NOT NULL,
        uid uuid NOT NULL,
        queue text COLLATE "C" NOT NULL,
        kill_at timestamptz(3) NOT NULL,
        reason text NOT NULL,
        at timestamptz(3) NOT NULL
      )`);
    await runner.query(`
      CREATE INDEX simulated_announcements_by_allocation ON simulated_announcements (partition, allocation)`);
    await runner.query(`
      CREATE TABLE simulated_nominations (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        partition text COLLATE "C" NOT NULL,
        node text COLLATE "C" NOT NULL,
        application text COLLATE "C" NOT NULL,
        resources jsonb NOT NULL,
        until timestamptz(3) NOT NULL
      )`);
    await runner.query(
      'CREATE INDEX simulated_nominations_by_partition ON simulated_nominations (partition)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE simulated_nominations, simulated_announcements, simulated_evictions');
    await runner.query(
      'DROP TABLE simulated_usage, simulated_budgets, simulated_allocations, simulated_applications, simulated_nodes',
    );
    await runner.query('DROP TABLE inventory_evictions, inventory_usage, inventory_budgets');
    await runner.query('DROP TABLE inventory_allocations, inventory_applications, inventory_nodes');
    await runner.query(
      'DROP TABLE feeds, inventory_clocks, inventory_pages, inventory_listings, inventory_partitions',
    );
    await runner.query('DROP FUNCTION inventory_count_usage(), simulated_count_usage()');
  }
}

/** The sums of the allocations of each queue; `in_flight` is the share of those that are leaving. */
const usageColumns = `(
  partition text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL,
  type text NOT NULL,
  usage numeric NOT NULL,
  in_flight numeric NOT NULL,
  PRIMARY KEY (partition, queue, type)
)`;

/**
 * The sums of each queue follow its allocations in the same statement, from every writer: an executor that adds up a million allocations
 * before each kill would do nothing else. The sums are written in one order, so that two statements that change several queues never wait
 * for each other.
 *
 * @param condition of the rows that count.
 */
async function keepUsage(
  runner: QueryRunner,
  cluster: 'inventory' | 'simulated',
  condition: string,
): Promise<void> {
  const rows = (table: string, sign: 1 | -1) =>
    `SELECT partition, queue, resources, state <> 'running' AS leaving, ${sign} AS sign FROM ${table}${condition}`;
  const add = (changes: string) => `
    INSERT INTO ${cluster}_usage AS known (partition, queue, type, usage, in_flight)
    SELECT partition, queue, key, sum(sign * value::numeric),
           coalesce(sum(sign * value::numeric) FILTER (WHERE leaving), 0)
    FROM (SELECT partition, queue, resources, leaving, sum(sign) AS sign FROM (${changes}) AS change
          GROUP BY partition, queue, resources, leaving HAVING sum(sign) <> 0) AS changed
    CROSS JOIN LATERAL jsonb_each_text(resources)
    GROUP BY partition, queue, key
    ORDER BY partition, queue, key
    ON CONFLICT (partition, queue, type) DO UPDATE
      SET usage = known.usage + excluded.usage, in_flight = known.in_flight + excluded.in_flight`;
  await runner.query(`
    CREATE FUNCTION ${cluster}_count_usage() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN ${add(rows('new_rows', 1))};
      ELSIF TG_OP = 'DELETE' THEN ${add(rows('old_rows', -1))};
      ELSIF TG_OP = 'TRUNCATE' THEN DELETE FROM ${cluster}_usage;
      ELSE ${add(`${rows('new_rows', 1)} UNION ALL ${rows('old_rows', -1)}`)};
      END IF;
      RETURN NULL;
    END $$`);
  for (const [operation, tables] of [
    ['INSERT', 'REFERENCING NEW TABLE AS new_rows'],
    ['UPDATE', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows'],
    ['DELETE', 'REFERENCING OLD TABLE AS old_rows'],
    ['TRUNCATE', ''],
  ] as const) {
    await runner.query(`
      CREATE TRIGGER ${cluster}_count_${operation.toLowerCase()} AFTER ${operation} ON ${cluster}_allocations
      ${tables} FOR EACH STATEMENT EXECUTE FUNCTION ${cluster}_count_usage()`);
  }
}
