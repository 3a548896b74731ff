import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The read model, and what operators and owners ask of the console. */
export class Console1764200010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createReadModel(runner);
    await this.createReplays(runner);
    await this.createWebhook(runner);
    // Settings of queues that operators set at runtime: each takes the place of the setting of the same queue in the configuration.
    await runner.query(`
      CREATE TABLE setting_overrides (
        partition text NOT NULL,
        queue text NOT NULL,
        setting text NOT NULL,
        value jsonb NOT NULL,
        set_by text NOT NULL,
        reason text,
        set_at timestamptz NOT NULL,
        PRIMARY KEY (partition, queue, setting)
      )`);
    // Answers of owners to coming evictions, by the owner's own ids; without a run where they are not for one run.
    await runner.query(`
      CREATE TABLE owner_answers (
        partition text NOT NULL,
        allocation text NOT NULL,
        answer_id text NOT NULL,
        enforcement text,
        data jsonb NOT NULL,
        answered_at timestamptz NOT NULL,
        PRIMARY KEY (partition, allocation, answer_id)
      )`);
    await runner.query(
      'CREATE INDEX owner_answers_of_run ON owner_answers (enforcement) WHERE enforcement IS NOT NULL',
    );
    await runner.query('CREATE INDEX owner_answers_oldest ON owner_answers (answered_at)');
    // Links for the owner of an allocation that were made before this no longer work.
    await runner.query(`
      CREATE TABLE revoked_links (
        partition text NOT NULL,
        allocation text NOT NULL,
        revoked_at timestamptz NOT NULL,
        revoked_by text NOT NULL,
        PRIMARY KEY (partition, allocation)
      )`);
  }

  /** Projections: folded from the log, and rebuilt from it at any time. */
  private async createReadModel(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE read_runs (
        enforcement text PRIMARY KEY,
        partition text NOT NULL,
        queue text NOT NULL COLLATE "C",
        state text NOT NULL,
        outcome text,
        due_at timestamptz(3),
        started_at timestamptz(3),
        ended_at timestamptz(3),
        late_ms double precision,
        fencing_token bigint,
        mode text,
        plan_outcome text,
        target json,
        claimed json,
        shortfall json,
        freed json,
        victims integer NOT NULL DEFAULT 0,
        evicted integer NOT NULL DEFAULT 0,
        message text,
        updated_at timestamptz(3) NOT NULL,
        policy text NOT NULL DEFAULT 'quota-decrease',
        round bigint,
        notified integer NOT NULL DEFAULT 0
      )`);
    for (const [name, of] of [
      ['updated', '(updated_at DESC)'],
      // The runs of a queue and those above; rounds with victims in it.
      ['queue', '(partition, queue, started_at DESC)'],
      ['rounds', "(partition, started_at DESC) WHERE policy <> 'quota-decrease'"],
      // For trimming, and for the status of a partition.
      ['ended', '(ended_at) WHERE ended_at IS NOT NULL'],
      ['open', '(partition, started_at) WHERE outcome IS NULL'],
      // The latest runs that were needed. Without it, a query reads every later run that was not needed.
      ['needed', "(partition, updated_at DESC, enforcement) WHERE outcome IS DISTINCT FROM 'not-needed'"],
    ])
      await runner.query(`CREATE INDEX read_runs_${name} ON read_runs ${of}`);
    // Each planned victim is written twice more, when it is ordered and when it has an outcome. With room for that on its page, none of
    // the indexes changes with it.
    await runner.query(`
      CREATE TABLE read_victims (
        enforcement text NOT NULL,
        allocation text NOT NULL,
        partition text NOT NULL,
        queue text NOT NULL COLLATE "C",
        application text NOT NULL,
        rank integer NOT NULL,
        uid text,
        resources json NOT NULL,
        reason text NOT NULL,
        state text NOT NULL,
        code text,
        message text,
        updated_at timestamptz(3) NOT NULL,
        -- What the reason is about for which it was refused, spared or failed.
        about json,
        -- The code of the rule that decided for it, and its facts; null: its policy has none.
        rule text,
        -- The user of its application. Null: not known.
        owner text,
        facts json,
        -- Seconds of work that its eviction ended.
        seconds_lost bigint,
        PRIMARY KEY (enforcement, allocation)
      ) WITH (fillfactor = 60)`);
    for (const [name, of] of [
      ['queue', '(enforcement, queue)'],
      // Pages of the victims of a large run, in the order of eviction.
      ['rank', '(enforcement, rank)'],
      // By the beginning of an allocation's id too. In a database whose locale is not C only text_pattern_ops serves that; it serves whole
      // ids as well.
      ['allocation_name', '(partition, allocation text_pattern_ops)'],
      ['owner', '(partition, owner, enforcement) WHERE owner IS NOT NULL'],
      ['application', '(partition, application, enforcement)'],
    ])
      await runner.query(`CREATE INDEX read_victims_${name} ON read_victims ${of}`);
    // Runs with a large plan, of whose victims read_victims still lacks some. A row states how many it has, and up to which place of the
    // log it knows what became of them.
    await runner.query(`
      CREATE TABLE read_victims_missing (
        enforcement text PRIMARY KEY,
        added integer NOT NULL DEFAULT 0,
        transaction_id xid8 NOT NULL,
        position bigint NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE read_notices (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        partition text NOT NULL,
        queue text NOT NULL COLLATE "C",
        enforcement text,
        code text NOT NULL,
        message text NOT NULL,
        at timestamptz(3) NOT NULL,
        -- What it is about; null: nothing in particular.
        kind text,
        name text COLLATE "C",
        -- The queue or pool of the operation, application or allocation that it is about. Null: its subject is none of these, or its queue
        -- is unknown.
        about_queue text COLLATE "C"
      )`);
    for (const [name, of] of [
      ['queue', '(partition, queue, id)'],
      // Notices about a queue, whichever run gave them.
      ['about_queue', "(partition, name, id) WHERE kind IN ('queue', 'pool')"],
      ['in_queue', '(partition, about_queue, id) WHERE about_queue IS NOT NULL'],
    ])
      await runner.query(`CREATE INDEX read_notices_${name} ON read_notices ${of}`);
  }

  /** Readings of the log again: who asked for what, how far it is, and what came out. */
  private async createReplays(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE replays (
        id text PRIMARY KEY,
        "into" text NOT NULL,
        request json NOT NULL,
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

  /** What is announced to a webhook while it lasts, and the messages to it. */
  private async createWebhook(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_conditions (
        type text COLLATE "C" NOT NULL,
        partition text COLLATE "C" NOT NULL,
        -- A run; empty: the partition.
        subject text COLLATE "C" NOT NULL,
        since timestamptz(3) NOT NULL,
        -- When the last message about it was made; null: none was yet.
        announced_at timestamptz(3),
        announcements integer NOT NULL DEFAULT 0,
        PRIMARY KEY (type, partition, subject)
      )`);
    // state: pending, delivered or dead. A pending message is due at next_at; while one is sent, that is when its sender is late.
    await runner.query(`
      CREATE TABLE webhook_messages (
        id text COLLATE "C" PRIMARY KEY,
        type text NOT NULL,
        body text NOT NULL,
        state text NOT NULL DEFAULT 'pending',
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL,
        next_at timestamptz(3),
        ended_at timestamptz(3),
        last_error text
      )`);
    await runner.query(
      `CREATE INDEX webhook_messages_due ON webhook_messages (next_at) WHERE state = 'pending'`,
    );
    await runner.query('CREATE INDEX webhook_messages_by_age ON webhook_messages (created_at, id)');
    await runner.query('CREATE INDEX webhook_messages_ended ON webhook_messages (state, ended_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE revoked_links, owner_answers, setting_overrides');
    await runner.query('DROP TABLE webhook_messages, webhook_conditions');
    await runner.query('DROP SCHEMA IF EXISTS curtail_replay CASCADE');
    await runner.query('DROP TABLE replays, read_notices, read_victims_missing, read_victims, read_runs');
  }
}
