import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What owners know about the next runs of clocks: one row for each clock that is checked, and one for each application that is notified. */
export class Foresights1764200009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE foresights (
        partition text NOT NULL,
        queue text NOT NULL,
        generation int NOT NULL,
        commands bigint NOT NULL,
        taken int NOT NULL DEFAULT 0,
        next_check_at timestamptz NOT NULL,
        enforcement text,
        checked_at timestamptz,
        fault text,
        more int NOT NULL DEFAULT 0,
        PRIMARY KEY (partition, queue)
      )`);
    await runner.query('CREATE INDEX foresights_due ON foresights (next_check_at)');
    await runner.query(`
      CREATE TABLE foreseen_owners (
        partition text NOT NULL,
        queue text NOT NULL,
        application text NOT NULL,
        owner text,
        victims int NOT NULL,
        allocations jsonb NOT NULL,
        digest text NOT NULL,
        resources jsonb NOT NULL,
        rule text NOT NULL,
        facts jsonb,
        reason text NOT NULL,
        due_at timestamptz NOT NULL,
        since timestamptz NOT NULL,
        notified_at timestamptz NOT NULL,
        checks int NOT NULL,
        needs_approval boolean NOT NULL,
        PRIMARY KEY (partition, queue, application)
      )`);
    await runner.query('CREATE INDEX foreseen_owners_of ON foreseen_owners (partition, owner)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE foreseen_owners, foresights');
  }
}
