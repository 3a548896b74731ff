import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projections: folded from the log by the console, and rebuilt from it at any time. */
export class ReadModel1763740004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE read_enforcements (
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
        updated_at timestamptz(3) NOT NULL
      )`);
    await runner.query('CREATE INDEX read_enforcements_updated ON read_enforcements (updated_at DESC)');
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
        PRIMARY KEY (enforcement, allocation)
      )`);
    await runner.query('CREATE INDEX read_victims_allocation ON read_victims (partition, allocation)');
    await runner.query(`
      CREATE TABLE read_notices (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        partition text NOT NULL,
        queue text NOT NULL COLLATE "C",
        enforcement text,
        code text NOT NULL,
        message text NOT NULL,
        at timestamptz(3) NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['read_notices', 'read_victims', 'read_enforcements']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
