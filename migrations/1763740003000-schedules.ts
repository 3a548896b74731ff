import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Configuration in force, the clocks, the runs, and the operator's say. */
export class Schedules1763740003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE partitions (
        partition text PRIMARY KEY,
        digest text NOT NULL,
        format text NOT NULL,
        body text NOT NULL,
        quota_preemption_enabled boolean NOT NULL,
        applied_at timestamptz(3) NOT NULL,
        version integer NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE partition_modes (
        partition text PRIMARY KEY,
        mode text NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE queues (
        partition text NOT NULL,
        path text NOT NULL COLLATE "C",
        max json,
        guaranteed json,
        delay_ms bigint NOT NULL,
        parent boolean NOT NULL,
        PRIMARY KEY (partition, path)
      )`);
    await runner.query('CREATE SEQUENCE fencing_tokens AS bigint');
    await runner.query(`
      CREATE TABLE schedules (
        partition text NOT NULL,
        queue text NOT NULL COLLATE "C",
        version integer NOT NULL,
        state json NOT NULL,
        running_enforcement text,
        fencing_token bigint,
        lease_until timestamptz,
        PRIMARY KEY (partition, queue)
      )`);
    await runner.query(
      'CREATE INDEX schedules_running ON schedules (partition, queue) WHERE running_enforcement IS NOT NULL',
    );
    await runner.query(`
      CREATE TABLE timers (
        kind text NOT NULL,
        partition text NOT NULL,
        name text NOT NULL COLLATE "C",
        generation integer NOT NULL,
        due_at timestamptz(3) NOT NULL,
        state text NOT NULL,
        PRIMARY KEY (kind, partition, name)
      )`);
    await runner.query("CREATE INDEX timers_due ON timers (kind, due_at) WHERE state = 'pending'");
    await runner.query(`
      CREATE TABLE planned_victims (
        enforcement text NOT NULL,
        partition text NOT NULL,
        allocation text NOT NULL,
        uid text,
        PRIMARY KEY (enforcement, allocation)
      )`);
    await runner.query('CREATE INDEX planned_victims_partition ON planned_victims (partition, allocation)');
    await runner.query(`
      CREATE TABLE executions (
        enforcement text PRIMARY KEY,
        partition text NOT NULL,
        queue text NOT NULL,
        fencing_token bigint NOT NULL,
        next_step_at timestamptz(3),
        lease_owner text,
        lease_until timestamptz
      )`);
    await runner.query(
      'CREATE INDEX executions_next_step ON executions (next_step_at) WHERE next_step_at IS NOT NULL',
    );
    await runner.query(`
      CREATE TABLE kill_switches (
        partition text NOT NULL,
        queue text NOT NULL,
        reason text,
        set_by text NOT NULL,
        set_at timestamptz NOT NULL,
        PRIMARY KEY (partition, queue)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'kill_switches',
      'executions',
      'planned_victims',
      'timers',
      'schedules',
      'queues',
      'partition_modes',
      'partitions',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
    await runner.query('DROP SEQUENCE fencing_tokens');
  }
}
