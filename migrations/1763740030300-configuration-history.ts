import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each configuration that came into force, with its text, its sender and what it changed. */
export class ConfigurationHistory1763740030300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row for each text: senders often send the same text again. The time of the last use protects it from deletion.
    await runner.query(`
      CREATE TABLE configuration_texts (
        partition text NOT NULL,
        digest text NOT NULL,
        body text NOT NULL,
        used_at timestamptz NOT NULL,
        PRIMARY KEY (partition, digest)
      )`);
    // sent_by, via and source are null where they are unknown; changes is null for configurations of earlier releases.
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
        PRIMARY KEY (partition, version),
        FOREIGN KEY (partition, digest) REFERENCES configuration_texts (partition, digest)
      )`);
    await runner.query('CREATE INDEX configurations_by_age ON configurations (applied_at)');
    await runner.query('CREATE INDEX configurations_by_text ON configurations (partition, digest)');
    await runner.query('CREATE INDEX configuration_texts_by_age ON configuration_texts (used_at)');
    await runner.query(
      'INSERT INTO configuration_texts SELECT partition, digest, body, applied_at FROM partitions',
    );
    await runner.query(`
      INSERT INTO configurations (partition, version, applied_at, format, digest, quota_preemption_enabled, cluster)
      SELECT partition, version, applied_at, format, digest, quota_preemption_enabled, cluster FROM partitions`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE configurations');
    await runner.query('DROP TABLE configuration_texts');
  }
}
