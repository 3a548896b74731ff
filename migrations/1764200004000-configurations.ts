import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The configuration in force of each partition, with its queues, and all that were in force before.
 *
 * Pages of `queues` and `quota_changes` have room for a second version of all their rows: a configuration may change every quota at once, in
 * columns that no index has. A new version in the same page needs no entry in the index, which halves the time and the write-ahead log
 * of such an update.
 */
export class Configurations1764200004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE partitions (
        partition text PRIMARY KEY,
        digest text NOT NULL,
        format text NOT NULL,
        body text NOT NULL,
        quota_preemption_enabled boolean NOT NULL,
        applied_at timestamptz(3) NOT NULL,
        version integer NOT NULL,
        -- Settings of policies beside the quota decrease.
        policies json NOT NULL DEFAULT '{}',
        -- From the CloudEvents source (/clusters/ID/…) of the submission; null: its sender names none.
        cluster text,
        -- What needs a person, such as a quota of a namespace that cannot be read; null: nothing.
        attention json
      )`);
    await runner.query(`
      CREATE TABLE queues (
        partition text NOT NULL,
        path text NOT NULL COLLATE "C",
        max json,
        guaranteed json,
        delay_ms bigint NOT NULL,
        parent boolean NOT NULL,
        properties json,
        -- Amounts that follow the size of the cluster, as exact fractions of it.
        cluster_share json,
        PRIMARY KEY (partition, path)
      ) WITH (fillfactor = 45)`);
    // The version of the configuration stream at which the quota of each queue changed last. A queue that left the configuration keeps
    // its row.
    await runner.query(`
      CREATE TABLE quota_changes (
        partition text NOT NULL,
        queue text NOT NULL COLLATE "C",
        version integer NOT NULL,
        changed_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, queue)
      ) WITH (fillfactor = 45)`);
    // One row for each text: senders often send the same text again. The time of the last use protects it from deletion.
    await runner.query(`
      CREATE TABLE configuration_texts (
        partition text NOT NULL,
        digest text NOT NULL,
        body text NOT NULL,
        used_at timestamptz NOT NULL,
        PRIMARY KEY (partition, digest)
      )`);
    await runner.query('CREATE INDEX configuration_texts_by_age ON configuration_texts (used_at)');
    // sent_by, via and source are null where they are unknown.
    await runner.query(`
      CREATE TABLE configurations (
        partition text NOT NULL,
        version integer NOT NULL,
        previous integer,
        applied_at timestamptz NOT NULL,
        sent_by text,
        via text,
        source text,
        submission text,
        rolled_back_to integer,
        format text NOT NULL,
        digest text NOT NULL,
        quota_preemption_enabled boolean NOT NULL,
        cluster text,
        queues_added integer NOT NULL DEFAULT 0,
        queues_removed integer NOT NULL DEFAULT 0,
        queues_changed integer NOT NULL DEFAULT 0,
        changes json,
        -- The queue whose entry alone the version replaced. Null: the whole configuration was sent.
        only_queue text,
        PRIMARY KEY (partition, version),
        FOREIGN KEY (partition, digest) REFERENCES configuration_texts (partition, digest)
      )`);
    await runner.query('CREATE INDEX configurations_by_age ON configurations (applied_at)');
    await runner.query('CREATE INDEX configurations_by_text ON configurations (partition, digest)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE configurations, configuration_texts, quota_changes, queues, partitions');
  }
}
